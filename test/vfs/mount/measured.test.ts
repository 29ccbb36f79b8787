// Lines as real kernels wrote them, seen on real mounts of every kind, and what must be said of each.

import { describe, expect, it } from 'vitest';
import type { Classification } from '../../../vfs/mount/classification.ts';
import { judged, ROOT } from './judged.ts';

const ROWS: readonly (readonly [lines: string, path: string, said: Partial<Classification>])[] = [
  ['64 29 0:40 / /w/mnt rw,relatime - tmpfs tmpfs rw', '/w/mnt/a.db', { class: 'native' }],
  ['64 29 0:40 / /w/mnt rw,relatime shared:1 - tmpfs tmpfs rw', '/w/mnt/a.db', { class: 'native', options: 'rw,relatime,rw' }],
  [
    '64 29 0:40 / /w/mnt rw,relatime shared:1 - tmpfs tmpfs rw\n65 64 0:40 / /w/mnt rw,relatime shared:2 master:1 - tmpfs tmpfs rw',
    '/w/mnt/a.db',
    { class: 'native' },
  ],
  [
    '66 29 0:40 / /w/mnt rw,relatime - overlay overlay rw,lowerdir=/w/l,upperdir=/w/u,workdir=/w/w,uuid=on',
    '/w/mnt/a.db',
    { class: 'native', fsType: 'overlay' },
  ],
  [
    '64 29 7:0 / /w/mnt rw,relatime - xfs /dev/loop0 rw,inode64,logbufs=8,logbsize=32k,noquota',
    '/w/mnt/a.db',
    { class: 'native', source: '/dev/loop0' },
  ],
  [
    '66 29 0:40 /data /w/mnt rw,relatime - btrfs /dev/loop0 rw,ssd,discard=async,space_cache=v2,subvolid=256,subvol=/data',
    '/w/mnt/a.db',
    { class: 'native', fsType: 'btrfs' },
  ],
  [
    '65 29 0:39 /back/app.db /w/mnt/app.db rw,relatime - tmpfs top rw',
    '/w/mnt/app.db',
    { class: 'native', fileIsMountPoint: true, walSafe: false },
  ],
  ['65 29 0:39 /back/app.db /w/mnt/app.db rw,relatime - tmpfs top rw', '/w/mnt/app.db-wal', { class: 'native', mountPoint: '/' }],
  ['64 29 0:39 /back/gone//deleted /w/mnt rw,relatime - tmpfs top rw', '/w/mnt/a.db', { class: 'native', fsType: 'tmpfs' }],
  [
    '64 29 0:40 / /w/mnt rw,relatime - tmpfs first rw\n65 64 7:0 / /w/mnt rw,relatime - ext4 /dev/loop0 rw',
    '/w/mnt/a.db',
    { class: 'native', fsType: 'ext4' },
  ],
  [
    '64 29 0:40 / /w/mnt rw,nosuid,nodev,relatime - fuse /w/back rw,user_id=0\n65 64 0:41 / /w/mnt/in rw,relatime - tmpfs inner rw',
    '/w/mnt/in/a.db',
    { class: 'native', source: 'inner' },
  ],
  [
    '64 29 0:40 / /w/mnt rw,nosuid,nodev,relatime - fuse /w/back rw,user_id=0\n65 64 0:41 / /w/mnt/in rw,relatime - tmpfs inner rw',
    '/w/mnt/inn/a.db',
    { class: 'fuse' },
  ],
  ['64 29 0:40 / /w/mnt rw,relatime - tmpfs virtiofs rw', '/w/mnt/a.db', { class: 'native', source: 'virtiofs' }],
  ['64 29 0:40 / /w/mnt rw,relatime - tmpfs - rw', '/w/mnt/a.db', { class: 'native', source: '-' }],
  ['64 29 0:40 / /w/mnt rw,relatime - tmpfs  rw', '/w/mnt/a.db', { class: 'native', source: '', options: 'rw,relatime,rw' }],
  [
    String.raw`64 29 0:40 / /w/mnt rw,relatime - tmpfs my\040disk\040-\0409p\040x rw`,
    '/w/mnt/a.db',
    { class: 'native', source: 'my disk - 9p x' },
  ],
  [String.raw`64 29 0:40 / /w/my\040data rw - virtiofs x rw`, '/w/my data/a.db', { class: 'cross-vm', mountPoint: '/w/my data' }],
  [String.raw`64 29 0:40 / /w/a\012b rw - virtiofs x rw`, '/w/a\nb/a.db', { class: 'cross-vm', mountPoint: '/w/a\nb' }],
  [String.raw`64 29 0:40 / /w/a\134040b rw - virtiofs x rw`, String.raw`/w/a\040b/a.db`, { class: 'cross-vm' }],
  [String.raw`64 29 0:40 / /w/x\040-\0409p\040y rw - tmpfs x rw`, '/w/x - 9p y/a.db', { class: 'native', fsType: 'tmpfs' }],
  ['64 29 0:40 / /w/dáta-数据 rw - virtiofs x rw', '/w/dáta-数据/a.db', { class: 'cross-vm', mountPoint: '/w/dáta-数据' }],
  [
    '64 29 0:40 / /w/mnt rw,nosuid,nodev,relatime - fuse /w/back rw,user_id=0,group_id=0,default_permissions,allow_other',
    '/w/mnt/a.db',
    { class: 'fuse' },
  ],
  ['64 29 0:40 / /w/mnt rw - fuse.fuse-overlayfs fuse-overlayfs rw,user_id=0', '/w/mnt/a.db', { class: 'fuse' }],
  ['64 29 0:40 / /w/mnt rw - fuse.sshfs :/w/back rw,user_id=0', '/w/mnt/a.db', { class: 'network' }],
  ['64 29 0:40 / /w/mnt rw - fuse.mergerfs a:b rw,user_id=0', '/w/mnt/a.db', { class: 'fuse' }],
  ['64 29 0:40 / /w/mnt rw - fuse.gocryptfs /w/back rw,user_id=0', '/w/mnt/a.db', { class: 'fuse' }],
  ['64 29 0:40 / /w/mnt rw - fuse.rclone :local:/w/back rw,user_id=0', '/w/mnt/a.db', { class: 'network' }],
  ['64 29 0:40 / /w/mnt rw - fuse /w/img rw,user_id=0,blksize=4096', '/w/mnt/a.db', { class: 'fuse' }],
  ['64 29 7:0 / /w/mnt rw - fuseblk /dev/loop0 rw,user_id=0,blksize=4096', '/w/mnt/a.db', { class: 'fuse' }],
  ['64 29 0:40 / /w/mnt rw - fuse.ext4 /w/img rw,user_id=0', '/w/mnt/a.db', { class: 'fuse', fsType: 'fuse.ext4' }],
  ['36 29 0:31 / /data rw,relatime - virtiofs data rw', '/data/a.db', { class: 'cross-vm' }],
  ['36 29 0:31 / /data rw,relatime - virtiofs /run/host_mark/Users rw', '/data/a.db', { class: 'cross-vm' }],
  ['40 29 0:31 /b /m/b rw,relatime - virtiofs data rw', '/m/b/a.db', { class: 'cross-vm', mountPoint: '/m/b' }],
  [
    '36 29 0:31 / /data rw,relatime - 9p data rw,sync,dirsync,access=client,trans=virtio',
    '/data/a.db',
    { class: 'cross-vm', options: 'rw,relatime,rw,sync,dirsync,access=client,trans=virtio' },
  ],
  ['36 29 0:31 / /data rw,relatime - 9p data rw,dirsync,mmap,access=client,trans=virtio', '/data/a.db', { class: 'cross-vm' }],
  [
    String.raw`36 29 0:31 / /data rw,relatime - 9p C:\134 rw,dirsync,aname=drvfs;path=C:\;uid=1000;gid=1000;symlinkroot=/mnt/,mmap,access=client,msize=65536,trans=virtio`,
    '/data/a.db',
    { class: 'cross-vm', source: 'C:\\' },
  ],
  [
    '40 29 0:34 / /data rw,relatime - nfs4 127.0.0.1:/ rw,vers=4.2,proto=tcp,local_lock=none,addr=127.0.0.1',
    '/data/a.db',
    { class: 'network' },
  ],
  [
    '38 29 0:33 / /data rw,relatime - nfs 127.0.0.1:/srv/x rw,vers=3,local_lock=none,addr=127.0.0.1',
    '/data/a.db',
    { class: 'network' },
  ],
  [
    '37 29 0:32 / /data rw,relatime - cifs //127.0.0.1/share rw,vers=3.1.1,cache=strict,nounix',
    '/data/a.db',
    { class: 'network' },
  ],
];

describe('on a real mount', () => {
  it.each(ROWS)('%s: %j', (lines, path, said) => {
    const isFile = (file: string) => file.endsWith('/app.db');
    const ground = judged(`${ROOT}\n${lines}`, path, { isFile, realPath: (same) => same });
    expect(ground).toMatchObject({ walSafe: said.class === 'native', fileIsMountPoint: false, ...said });
  });

  it('an overlay on a 9p share is as unsafe as the share', () => {
    const table = `${ROOT}
36 29 0:31 / /data rw - 9p data rw,dirsync,mmap,access=client,trans=virtio
66 29 0:40 / /w/mnt rw - overlay overlay rw,lowerdir=/w/l,upperdir=/data/u,workdir=/data/w`;
    expect(judged(table, '/w/mnt/a.db', { realPath: (same) => same }).class).toBe('cross-vm');
  });

  it('a file that is mounted by itself says what becomes of its sidecars', () => {
    const isFile = () => true;
    const own = judged(`${ROOT}\n65 29 0:39 /b/app.db /m/app.db rw - virtiofs x rw`, '/m/app.db', { isFile });
    expect(own).toMatchObject({ class: 'cross-vm', walSafe: false, fileIsMountPoint: true, mountPoint: '/m/app.db' });
    expect(own.reason).toMatch(
      /no lock.*; the file itself is a mount point, so its -wal, -shm and -journal lie on another mount$/,
    );
    expect(own.remedy).toMatch(/^mount the folder that holds the database, not the file alone; then stop every program/);
    // A folder that is a mount point is nothing special.
    const folder = judged(`${ROOT}\n65 29 0:39 / /m rw - tmpfs x rw`, '/m');
    expect(folder).toMatchObject({ fileIsMountPoint: false, walSafe: true });
  });

  it('a bind whose source was removed says so', () => {
    const ground = judged(`${ROOT}\n64 29 0:39 /back/gone//deleted /m rw - tmpfs top rw`, '/m/a.db');
    expect(ground.reason).toMatch(/; what was mounted there \(\/back\/gone\/\/deleted\) seems to have been removed since$/);
    expect(judged(`${ROOT}\n64 29 0:39 /back//deletedx /m rw - tmpfs top rw`, '/m/a.db').reason).not.toContain('removed');
  });
});
