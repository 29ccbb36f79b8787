// The mount table, as the kernel writes it, and which mount a path stands on.

import { describe, expect, it } from 'vitest';
import { mountOf, parseMountInfo } from '../../../vfs/mount/mountinfo.ts';

const TABLE = String.raw`22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
64 22 0:40 / /m/my\040data rw,relatime shared:2 master:1 - tmpfs my\040disk\040-\0409p\040x rw
65 22 0:41 / /m/a\134040b rw,relatime - virtiofs data rw
66 22 0:42 / /m/empty rw,relatime - tmpfs  rw,size=5k
67 22 0:43 / /m/stack rw,relatime - tmpfs first rw
68 67 7:0 / /m/stack rw,noatime - ext4 /dev/loop0 rw
69 22 0:44 /back/app.db /m/app.db rw,relatime - tmpfs top rw
70 22 0:45 / /m/x\040-\0409p\040y rw - nfs4 127.0.0.1:/ rw,vers=4.2
this line is broken
71 22 0:46 / not-absolute rw - tmpfs t rw`;

describe('the mount table', () => {
  const mounts = parseMountInfo(TABLE);

  it('is parsed line by line, broken lines left out', () => {
    expect(mounts.map((mount) => mount.mountPoint)).toEqual([
      '/',
      '/m/my data',
      '/m/a\\040b',
      '/m/empty',
      '/m/stack',
      '/m/stack',
      '/m/app.db',
      '/m/x - 9p y',
    ]);
    expect(mounts[1]).toEqual({ mountPoint: '/m/my data', fsType: 'tmpfs', source: 'my disk - 9p x', options: 'rw,relatime,rw' });
    expect(mounts[3]).toEqual({ mountPoint: '/m/empty', fsType: 'tmpfs', source: '', options: 'rw,relatime,rw,size=5k' });
    expect(parseMountInfo('')).toEqual([]);
  });

  it.each([
    ['/etc/x', 'ext4', '/'],
    ['/m/my data/x.db', 'tmpfs', '/m/my data'],
    ['/m/my dataset/x.db', 'ext4', '/'],
    ['/m/a\\040b/x', 'virtiofs', '/m/a\\040b'],
    ['/m/stack/x', 'ext4', '/m/stack'],
    ['/m/app.db', 'tmpfs', '/m/app.db'],
    ['/m/app.db-wal', 'ext4', '/'],
    ['/m/x - 9p y/z', 'nfs4', '/m/x - 9p y'],
  ])('says where %j stands', (path, fsType, mountPoint) => {
    expect(mountOf(mounts, path)).toMatchObject({ fsType, mountPoint });
  });

  it('knows nothing where there is no table', () => {
    expect(mountOf([], '/x')).toBeUndefined();
  });
});
