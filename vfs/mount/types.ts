// File system types by name: the class of each, and what it is in words.

import type { MountClass } from './classification.ts';

export interface FileSystemType {
  readonly class: MountClass;
  /** What it is: `a network file system`. */
  readonly what: string;
  /** Why it is unsafe, where there is more to say than of its whole class. */
  readonly why?: string;
}

type Row = readonly [what: string, names: string];

/** File systems of this kernel, on a device of its own or in its memory. */
const NATIVE: readonly Row[] = [
  [
    'a file system of this kernel',
    `ext2 ext3 ext4 xfs btrfs zfs f2fs bcachefs jfs reiserfs reiser4 nilfs2 ubifs hfs hfsplus apfs vfat exfat msdos umsdos
     texfat tntfs ntfs ntfs3 ufsd ufs minix udf squashfs iso9660 erofs cramfs romfs simfs vzfs`,
  ],
  ['memory of this kernel', 'tmpfs ramfs rootfs devtmpfs'],
  ['layers of folders of this kernel', 'aufs'],
];

/** Another kernel has the same files, with caches and locks of its own. */
const CROSS_VM: readonly Row[] = [
  ['a folder shared with a virtual machine', 'virtiofs 9p 9p2000 9p2000.l 9p2000.u hostfs'],
  ['a Windows drive in WSL', 'drvfs'],
  ['a folder of the host in Docker Desktop', 'fakeowner grpcfuse osxfs'],
  ['a folder of the host in VirtualBox', 'vboxsf'],
  ['a folder of the host in Parallels', 'prl_fs prl_fsd prl_fs_freeze'],
  ['a folder of the host in VMware', 'vmhgfs vmhgfs-fuse hgfs'],
];

/** A server, or other machines on the same disks, has the same files. */
const NETWORK: readonly Row[] = [
  ['a network file system', 'nfs nfs4 fuse-nfs afs openafs coda ncpfs afpfs afp'],
  ['a Windows (SMB) share', 'cifs smb smb2 smb3 smbfs smbnetfs'],
  [
    'a distributed file system',
    `ceph ceph-fuse glusterfs lustre lustre_lite gpfs mmfs beegfs beegfs_nodev fhgfs orangefs pvfs2 pvfs2fuse moosefs mfs mfsmount
     lizardfs saunafs juicefs seaweedfs weed wekafs panfs quobyte xtreemfs cubefs chubaofs maprfs hdfs fuse_dfs alluxio
     alluxio-fuse daos dfuse objectivefs cvmfs2 ipfs hf3fs eosxd`,
  ],
  ['a file system shared by a cluster of machines', 'ocfs2 gfs gfs2 acfs cvfs cxfs snfs scoutfs'],
  ['a folder of another machine over SSH', 'sshfs'],
  ['a folder of a server over HTTP or FTP', 'davfs davfs2 curlftpfs wdfs httpfs'],
  [
    'an object store shown as folders',
    `s3fs s3ql goofys geesefs yas3fs s3backer mountpoint-s3 mount-s3 gcsfuse blobfuse blobfuse2 ossfs ossfs2 cosfs obsfs tosfs
     riofs`,
  ],
  ['a cloud drive shown as folders', 'rclone google-drive-ocamlfuse onedriver gdfs pcloud pcloudfs dropbox megafs'],
  ['a folder of the desktop, perhaps of a server', 'gvfsd-fuse gvfs-fuse-daemon kio-fuse'],
];

/** FUSE file systems of which more is known than that nothing is proven. */
const FUSE: Readonly<Record<string, Omit<FileSystemType, 'class'>>> = {
  shfs: {
    what: "Unraid's user share",
    why: 'SQLite databases on user shares were lost; a share of one disk or pool, such as /mnt/cache, has none of its layers',
  },
  mergerfs: {
    what: 'a pool of folders',
    why: 'unless it is mounted with cache.files other than off, no memory can be shared, and a switch to WAL leaves a database that cannot be opened here',
  },
  'fuse-overlayfs': { what: 'the layers of a rootless container', why: 'silent damage to SQLite databases on it was reported' },
  'unionfs-fuse': { what: 'layers of folders' },
  unionfs: { what: 'layers of folders' },
  bindfs: { what: 'a second view of a folder', why: 'no lock crosses between the two views' },
  gocryptfs: { what: 'an encrypted folder' },
  encfs: { what: 'an encrypted folder' },
  cryfs: { what: 'an encrypted folder' },
  cryptomator: { what: 'an encrypted folder' },
  securefs: { what: 'an encrypted folder' },
  portal: { what: "the desktop's document portal", why: 'it has no file locks' },
  'ntfs-3g': { what: 'NTFS through FUSE' },
  exfat: { what: 'exFAT through FUSE' },
  'exfat-fuse': { what: 'exFAT through FUSE' },
};

const TYPES = new Map<string, FileSystemType>();
for (const [mountClass, rows] of [
  ['native', NATIVE],
  ['cross-vm', CROSS_VM],
  ['network', NETWORK],
] as const)
  for (const [what, names] of rows) for (const name of names.split(/\s+/)) TYPES.set(name, { class: mountClass, what });

/** The type of that name, or an unsafe one of what stands before its subtype (`virtiofs.x`); undefined if we do not know it. */
export function fileSystemType(name: string): FileSystemType | undefined {
  const known = TYPES.get(name);
  if (known) return known;
  const before = TYPES.get(name.replace(/\..*$/s, ''));
  return before?.class === 'native' ? undefined : before;
}

/** What is known of the FUSE file system of that name. No FUSE is native, whatever it calls itself: `fuse.ext4` is fuse2fs. */
export function fuseType(name: string): FileSystemType | undefined {
  const known = TYPES.get(name);
  if (known && known.class !== 'native') return known;
  const fuse = FUSE[name];
  return fuse && { class: 'fuse', ...fuse };
}
