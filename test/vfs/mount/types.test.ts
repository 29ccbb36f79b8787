// Each type of file system, and the class that it belongs to.

import { describe, expect, it } from 'vitest';
import type { MountClass } from '../../../vfs/mount/classification.ts';
import { onData } from './judged.ts';

const TYPES: Readonly<Record<MountClass, string>> = {
  native: `ext2 ext3 ext4 xfs btrfs zfs f2fs bcachefs tmpfs ramfs rootfs devtmpfs overlay aufs jfs reiserfs nilfs2 ubifs hfs hfsplus
    apfs vfat exfat msdos ntfs ntfs3 udf squashfs iso9660 erofs`,
  'cross-vm': `virtiofs fuse.virtiofs virtiofs.virtiofs3 9p 9p2000 9p2000.l 9p2000.u fuse.9p drvfs fakeowner grpcfuse fuse.grpcfuse
    osxfs fuse.osxfs vboxsf fuse.vboxsf prl_fs fuse.prl_fs fuse.prl_fsd vmhgfs fuse.vmhgfs-fuse hostfs`,
  network: `nfs nfs4 cifs smb smb2 smb3 smbfs ceph fuse.ceph fuse.ceph-fuse glusterfs fuse.glusterfs lustre gpfs beegfs afs coda
    orangefs pvfs2 ocfs2 gfs2 fuse.sshfs fuse.rclone fuse.s3fs fuse.mountpoint-s3 fuse.goofys fuse.gcsfuse fuse.blobfuse
    fuse.blobfuse2 fuse.blobfuse2-v3 davfs fuse.davfs fuse.juicefs fuse.seaweedfs fuse.weed fuse.mfs fuse.lizardfs fuse.saunafs
    fuse.moosefs fuse.curlftpfs fuse.gvfsd-fuse fuse.cvmfs2 wekafs fuse.google-drive-ocamlfuse fuse.ossfs fuse.objectivefs`,
  fuse: `fuse fuseblk fuse.ext4 fuse.ext2 fuse.xfs fuse.zfs fuse.tmpfs fuse.shfs fuse.mergerfs fuse.fuse-overlayfs fuse.bindfs
    fuse.gocryptfs fuse.encfs fuse.cryfs fuse.portal fuse.ntfs-3g fuseblk.ntfs-3g fuse.exfat fuse.unionfs fuse.something.new`,
  unknown: 'foofs ext5 virtio 9px fusex fuse. nfs5 ext4.x tmpfs.virtiofs proc sysfs - 0 constructor __proto__',
};

const rows = Object.entries(TYPES).flatMap(([kind, types]) => types.split(/\s+/).map((type) => [type, kind] as const));

describe('a mount', () => {
  it.each(rows)('of type %s is %s', (type, kind) => {
    const ground = onData(type);
    expect(ground).toMatchObject({ class: kind, walSafe: kind === 'native', mountPoint: '/data', fsType: type, source: 'data' });
    expect(ground.remedy === undefined).toBe(kind === 'native');
    expect(ground.reason).toContain('/data');
    expect(ground.reason).toContain(type);
    for (const sentence of [ground.reason, ground.remedy ?? '-']) expect(sentence).not.toMatch(/\.$|undefined/);
    // The case of the letters does not matter; what was written is shown.
    const upper = onData(type.toUpperCase());
    expect(upper).toMatchObject({ class: kind, fsType: type.toUpperCase() });
  });

  it.each(['virtiofs', 'virtiofs3', '/run/host_mark/Users', 'nfs', '9p', '//server/share', 'srv:/x', 'https://x/'])(
    'of a native type is native whatever its source is: %s',
    (source) => {
      for (const type of ['tmpfs', 'ext4', 'overlay', 'ntfs3']) expect(onData(type, source).class).toBe('native');
    },
  );

  it.each([
    ['fuse', 'virtiofs3', 'cross-vm'],
    ['fuse.x', '/run/host_mark/Users', 'cross-vm'],
    ['virtiofs', '/run/host_mark/Users', 'cross-vm'],
    ['fuse', 'grpcfuse', 'cross-vm'],
    ['fuse', '/run/host_marker', 'fuse'],
    ['fuse', 'sshfs#ann@host:/srv', 'network'],
    ['fuse', 'mfs#master:9421', 'network'],
    ['fuse', 'mountpoint-s3', 'network'],
    ['fuse', 'https://cloud.example.org/dav/', 'network'],
    ['fuse.mine', 'sftp://host/x', 'network'],
    ['fuse', '/srv/nfs', 'fuse'],
    ['fuse', 'ext4', 'fuse'],
    ['fuse.bindfs', 'sshfs', 'fuse'],
    ['fuse', '/dev/sdb1', 'fuse'],
    ['fuse', '', 'fuse'],
  ])('of type %s from %j is %s', (type, source, kind) => {
    expect(onData(type, source).class).toBe(kind);
  });

  it('names the source, unless it says nothing', () => {
    expect(onData('nfs4', 'srv:/home').reason).toMatch(/^\/data is nfs4 from srv:\/home, a network file system: /);
    for (const source of ['none', '-', 'virtiofs', ''])
      expect(onData('virtiofs', source).reason).toMatch(/^\/data is virtiofs, /);
  });

  it('that is known to be bad says why', () => {
    expect(onData('fuse.shfs', 'shfs').reason).toMatch(/Unraid.*lost/);
    expect(onData('fuse.mergerfs', 'a:b').reason).toContain('cache.files');
    expect(onData('fuse.fuse-overlayfs').reason).toContain('silent damage');
    expect(onData('fuse.portal').reason).toContain('no file locks');
  });

  it('has both ways out as its remedy', () => {
    for (const type of ['virtiofs', 'nfs', 'fuse', 'foofs'])
      expect(onData(type).remedy).toMatch(
        /`holdfast journal FILE delete` once.*or move it to a native file system.*named volume/,
      );
    for (const type of ['fuse', 'foofs']) expect(onData(type).remedy).toContain('`holdfast probe DIR`');
  });
});
