// Mount tables as they look in containers, virtual machines and on machines of the field, and what is said of paths in them.

import { describe, expect, it } from 'vitest';
import type { MountClass } from '../../../vfs/mount/classification.ts';
import { judged } from './judged.ts';

interface Platform {
  readonly table: string;
  readonly paths: Readonly<Record<string, MountClass>>;
}

/** The root of a container: its upper folder is a path of the host, which means nothing in here. */
const CONTAINER = `700 600 0:90 / / rw,relatime master:1 - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/AB,upperdir=/var/lib/docker/overlay2/cd/diff,workdir=/var/lib/docker/overlay2/cd/work
701 700 0:91 / /proc rw,nosuid - proc proc rw
702 700 0:92 / /dev rw,nosuid - tmpfs tmpfs rw,size=65536k,mode=755
703 702 0:93 / /dev/shm rw,nosuid - tmpfs shm rw,size=65536k`;

const PLATFORMS: Readonly<Record<string, Platform>> = {
  'Docker on Linux': {
    table: `${CONTAINER}
710 700 8:1 /var/lib/docker/volumes/data/_data /data rw,relatime master:1 - ext4 /dev/sda1 rw
711 700 8:1 /home/ann/state /bind rw,relatime - ext4 /dev/sda1 rw
712 700 8:1 /var/lib/docker/containers/cd/hosts /etc/hosts rw,relatime - ext4 /dev/sda1 rw
713 700 0:94 / /run/secrets rw,relatime - tmpfs tmpfs rw`,
    paths: {
      '/root/app.db': 'native',
      '/data/app.db': 'native',
      '/bind/app.db': 'native',
      '/dev/shm/app.db': 'native',
      '/run/secrets/x': 'native',
      '/proc/x': 'unknown',
    },
  },
  'Docker Desktop on a Mac': {
    table: `${CONTAINER}
710 700 0:60 /Users/ann/state /new rw,nosuid,nodev,relatime - fakeowner /run/host_mark/Users rw,fakeowner
711 700 0:61 /ann/state /middle rw,relatime - fuse.grpcfuse grpcfuse rw,user_id=0,group_id=0,allow_other,max_read=1048576
712 700 0:62 /Users/ann/state /old rw,nosuid,relatime - fuse.osxfs osxfs rw,user_id=0,group_id=0,allow_other
713 700 0:63 /ann/state /virtiofs rw,relatime - virtiofs /run/host_mark/Users rw
714 700 254:1 /docker/volumes/data/_data /named rw,relatime master:2 - ext4 /dev/vda1 rw`,
    paths: {
      '/new/app.db': 'cross-vm',
      '/middle/app.db': 'cross-vm',
      '/old/app.db': 'cross-vm',
      '/virtiofs/app.db': 'cross-vm',
      '/named/app.db': 'native',
      '/root/app.db': 'native',
    },
  },
  'Docker Desktop on Linux': {
    table: `${CONTAINER}
710 700 0:60 /ann/state /share rw,relatime - virtiofs virtiofs3 rw
711 700 0:61 /ann/state /subtype rw,relatime - virtiofs.virtiofs3 /run/host_virtiofs/home rw
712 700 0:62 /ann/state /fuse rw,relatime - fuse virtiofs3 rw,user_id=0
713 700 254:1 /docker/volumes/data/_data /named rw,relatime - ext4 /dev/vda1 rw`,
    paths: { '/share/x': 'cross-vm', '/subtype/x': 'cross-vm', '/fuse/x': 'cross-vm', '/named/x': 'native' },
  },
  'Docker Desktop on Windows': {
    table: String.raw`${CONTAINER}
710 700 0:60 /Users/ann/state /share rw,noatime - 9p C:\134 rw,dirsync,aname=drvfs;path=C:\;uid=0;gid=0;metadata;symlinkroot=/mnt/host/,cache=0x5,access=client,msize=65536,trans=fd,rfd=8,wfd=8
711 700 8:48 /version-pack-data/community/docker/volumes/data/_data /named rw,relatime - ext4 /dev/sdd rw`,
    paths: { '/share/app.db': 'cross-vm', '/named/app.db': 'native' },
  },
  'WSL 2': {
    table: String.raw`70 60 8:32 / / rw,relatime - ext4 /dev/sdc rw,discard,errors=remount-ro,data=ordered
71 70 0:28 / /mnt/wsl rw,relatime shared:1 - tmpfs none rw
72 70 0:30 / /usr/lib/wsl/drivers ro,nosuid,nodev,noatime - 9p none ro,dirsync,aname=drivers;fmask=222;dmask=222,mmap,access=client,msize=65536,trans=fd,rfd=7,wfd=7
73 70 0:50 / /mnt/c rw,noatime - 9p C:\134 rw,dirsync,aname=drvfs;path=C:\;uid=1000;gid=1000;symlinkroot=/mnt/,mmap,access=client,msize=65536,trans=fd,rfd=8,wfd=8
74 73 8:64 / /mnt/c/native rw,relatime - ext4 /dev/sde rw
75 70 0:51 / /mnt/d rw,noatime - virtiofs drvfsD0 rw
76 71 8:80 / /mnt/wsl/docker-desktop-bind-mounts/x rw - ext4 /dev/sdf rw`,
    paths: {
      '/home/ann/app.db': 'native',
      '/mnt/c/Users/ann/app.db': 'cross-vm',
      '/mnt/c/native/app.db': 'native',
      '/mnt/cc/app.db': 'native',
      '/mnt/d/app.db': 'cross-vm',
      '/mnt/wsl/x': 'native',
    },
  },
  'a folder that only is called /mnt/c': {
    table: '70 60 8:32 / / rw,relatime - ext4 /dev/sdc rw',
    paths: { '/mnt/c/Users/ann/app.db': 'native' },
  },
  'WSL 1': {
    table: `2 2 0:2 / / rw,noatime - wslfs rootfs rw
3 2 0:7 / /mnt/c rw,noatime - drvfs C: rw,uid=1000,gid=1000`,
    paths: { '/home/ann/app.db': 'unknown', '/mnt/c/app.db': 'cross-vm' },
  },
  OrbStack: {
    table: `${CONTAINER}
710 700 0:38 /Users/ann/state /share rw,relatime - virtiofs mac rw
711 700 254:17 /docker/volumes/data/_data /named rw,relatime - btrfs /dev/vdb1 rw,ssd,discard=async,space_cache=v2,subvolid=5,subvol=/`,
    paths: { '/share/app.db': 'cross-vm', '/named/app.db': 'native' },
  },
  'Colima and Lima': {
    table: `29 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw
80 29 0:40 / /Users/ann rw,relatime - virtiofs mount0 rw
81 29 0:41 / /tmp/lima rw,relatime - 9p mount1 rw,sync,dirsync,access=client,cache=mmap,trans=virtio
82 29 0:42 / /Users/bob rw,nosuid,nodev,relatime - fuse.sshfs :/Users/bob rw,user_id=501,group_id=1000,allow_other
83 29 254:16 / /mnt/lima-colima rw,relatime - ext4 /dev/vdb1 rw`,
    paths: {
      '/Users/ann/x.db': 'cross-vm',
      '/tmp/lima/x.db': 'cross-vm',
      '/Users/bob/x.db': 'network',
      '/mnt/lima-colima/x.db': 'native',
      '/home/ann.linux/x.db': 'native',
    },
  },
  'a Podman machine': {
    table: `29 1 252:4 /ostree/deploy/fedora-coreos/deploy/ab.0 / rw,relatime - xfs /dev/vda4 rw,seclabel
80 29 0:40 / /Users rw,relatime - virtiofs a2a0ee2c717462feb1de2f5afd59de5fd2d8 rw
81 29 0:41 / /private rw,relatime - 9p vol1 rw,sync,dirsync,access=client,trans=virtio
82 29 0:42 / /var/lib/containers/storage/overlay/cd/merged rw,nodev - fuse.fuse-overlayfs fuse-overlayfs rw,user_id=0,group_id=0`,
    paths: {
      '/Users/ann/x.db': 'cross-vm',
      '/private/x.db': 'cross-vm',
      '/var/home/core/x.db': 'native',
      '/var/lib/containers/storage/overlay/cd/merged/x.db': 'fuse',
    },
  },
  Kubernetes: {
    table: `${CONTAINER}
710 700 8:1 /var/lib/kubelet/pods/u/volumes/kubernetes.io~empty-dir/cache /cache rw,relatime - ext4 /dev/sda1 rw
711 700 0:70 / /memory rw,relatime - tmpfs tmpfs rw,size=262144k
712 700 8:1 /srv/state /hostpath rw,relatime - xfs /dev/sda1 rw
713 700 259:3 / /ebs rw,relatime - ext4 /dev/nvme1n1 rw
714 700 252:0 / /rbd rw,relatime - ext4 /dev/rbd0 rw,stripe=16
715 700 0:71 / /efs rw,relatime - nfs4 127.0.0.1:/ rw,vers=4.1,noresvport,proto=tcp,port=20052,local_lock=none,addr=127.0.0.1
716 700 0:72 / /azure rw,relatime - cifs //acct.file.core.windows.net/share rw,vers=3.1.1,nobrl,mapposix,mfsymlinks
717 700 0:73 /volumes/csi/x /cephfs rw,relatime - ceph 10.0.0.1:6789:/volumes/csi/x rw,name=csi,acl
718 700 0:74 / /gcs rw,nosuid,nodev - fuse.gcsfuse bucket rw,user_id=0,group_id=0,default_permissions,allow_other
719 700 0:75 / /s3 rw,nosuid,nodev - fuse mountpoint-s3 rw,user_id=0,group_id=0,default_permissions
720 700 0:76 / /juice rw,relatime - fuse.juicefs JuiceFS:state rw,user_id=0,group_id=0`,
    paths: {
      '/app.db': 'native',
      '/cache/x': 'native',
      '/memory/x': 'native',
      '/hostpath/x': 'native',
      '/ebs/x': 'native',
      '/rbd/x': 'native',
      '/efs/x': 'network',
      '/azure/x': 'network',
      '/cephfs/x': 'network',
      '/gcs/x': 'network',
      '/s3/x': 'network',
      '/juice/x': 'network',
    },
  },
  'Kata Containers': {
    table: '700 1 0:50 /cd/rootfs / rw,relatime - virtiofs kataShared rw',
    paths: { '/app.db': 'cross-vm' },
  },
  gVisor: {
    table: `36 0 0:12 / / rw - 9p none rw,trans=fd,rfdno=4,wfdno=4,aname=/,dfltuid=4294967294,dfltgid=4294967294,dcache=1000,cache=remote_revalidating,disable_fifo_open,overlayfs_stale_read,directfs
38 36 0:37 / /dev rw - tmpfs none rw,mode=0755
43 36 0:40 / /etc/hosts rw - 9p none rw,trans=fd,rfdno=50,wfdno=50,aname=/
57 36 0:48 / /opt/data rw - 9p none rw,trans=fd,rfdno=55,wfdno=55,aname=/,directfs`,
    paths: { '/root/app.db': 'native', '/opt/data/state.db': 'cross-vm', '/dev/x': 'native' },
  },
  'gVisor with an overlay over its root': {
    table: '36 0 0:12 / / rw - overlay none rw',
    paths: { '/root/app.db': 'native' },
  },
  Unraid: {
    table: `1 1 0:2 / / rw - rootfs rootfs rw,size=8000000k
80 1 9:1 / /mnt/disk1 rw,noatime - xfs /dev/md1p1 rw
81 1 0:41 / /mnt/cache rw,noatime - btrfs /dev/nvme0n1p1 rw,ssd
82 1 0:42 / /mnt/user rw,nosuid,nodev,noatime - fuse.shfs shfs rw,user_id=0,group_id=0,default_permissions,allow_other`,
    paths: {
      '/mnt/user/appdata/app.db': 'fuse',
      '/mnt/cache/appdata/app.db': 'native',
      '/mnt/disk1/appdata/app.db': 'native',
      '/mnt/userx': 'native',
    },
  },
  'a server at home': {
    table: `29 1 8:2 / / rw,relatime - ext4 /dev/sda2 rw
80 29 0:40 / /mnt/pool rw,relatime - fuse.mergerfs d1:d2 rw,user_id=0,group_id=0,default_permissions,allow_other
81 29 0:41 / /mnt/drive rw,relatime - fuse.rclone gdrive: rw,user_id=0,group_id=0
82 29 0:42 / /mnt/usb rw,relatime - fuseblk /dev/sdb1 rw,user_id=0,group_id=0,allow_other,blksize=4096
83 29 0:43 /state /mnt/tank rw,relatime - zfs tank/state rw,xattr,noacl
84 29 0:44 / /mnt/nas rw,relatime - cifs //nas/share rw,vers=3.0,cache=strict
85 29 0:45 / /mnt/secret rw,relatime - fuse.gocryptfs /srv/cipher rw,user_id=1000`,
    paths: {
      '/mnt/pool/x': 'fuse',
      '/mnt/drive/x': 'network',
      '/mnt/usb/x': 'fuse',
      '/mnt/tank/x': 'native',
      '/mnt/nas/x': 'network',
      '/mnt/secret/x': 'fuse',
      '/mnt/nasty/x': 'native',
    },
  },
  'a guest of VirtualBox, VMware and Parallels': {
    table: `29 1 8:2 / / rw,relatime - ext4 /dev/sda2 rw
80 29 0:40 / /vagrant rw,nodev,relatime - vboxsf vagrant rw,iocharset=utf8,uid=1000,gid=1000
81 29 0:41 / /mnt/hgfs rw,nosuid - fuse.vmhgfs-fuse vmhgfs-fuse rw,user_id=0,group_id=0,allow_other
82 29 0:42 / /media/psf/Home rw,nosuid,nodev - prl_fs Home rw,sync
83 29 0:43 / /media/psf/iCloud rw,nosuid,nodev - fuse.prl_fsd iCloud rw,user_id=0`,
    paths: {
      '/vagrant/x': 'cross-vm',
      '/mnt/hgfs/x': 'cross-vm',
      '/media/psf/Home/x': 'cross-vm',
      '/media/psf/iCloud/x': 'cross-vm',
    },
  },
  'a cluster': {
    table: `29 1 8:2 / / rw,relatime - xfs /dev/sda2 rw
80 29 0:40 / /lustre rw - lustre 10.0.0.1@tcp:/scratch rw,flock,lazystatfs
81 29 0:41 / /gpfs rw - gpfs gpfs0 rw
82 29 0:42 / /gluster rw - fuse.glusterfs srv:/vol rw,user_id=0
83 29 0:43 / /afs rw - afs none rw
84 29 0:44 / /beegfs rw - beegfs beegfs_nodev rw
85 29 0:45 / /autofs/home rw - autofs /etc/auto.home rw,fd=6
86 85 0:46 /ann /autofs/home/ann rw - nfs4 srv:/home/ann rw`,
    paths: {
      '/lustre/x': 'network',
      '/gpfs/x': 'network',
      '/gluster/x': 'network',
      '/afs/x': 'network',
      '/beegfs/x': 'network',
      '/autofs/home/ann/x': 'network',
      '/autofs/home/bob/x': 'native',
    },
  },
};

for (const [platform, { table, paths }] of Object.entries(PLATFORMS))
  describe(platform, () => {
    it.each(Object.entries(paths))('%s is %s', (path, kind) => {
      // Whether or not the path of an upper folder happens to exist in here.
      for (const realPath of [() => undefined, (same: string) => same])
        expect(judged(table, path, { realPath })).toMatchObject({ class: kind, walSafe: kind === 'native' });
    });
  });
