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
    expect(mounts[1]).toEqual({
      id: '64',
      parent: '22',
      root: '/',
      mountPoint: '/m/my data',
      fsType: 'tmpfs',
      source: 'my disk - 9p x',
      options: 'rw,relatime,rw',
    });
    expect(mounts[3]).toMatchObject({ mountPoint: '/m/empty', source: '', options: 'rw,relatime,rw,size=5k' });
    expect(mounts[6]).toMatchObject({ root: '/back/app.db', mountPoint: '/m/app.db' });
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

  it.each([
    [String.raw`/a\011b`, '/a\tb'],
    [String.raw`/a\012b`, '/a\nb'],
    [String.raw`/a\134tb`, String.raw`/a\tb`],
    [String.raw`/a\134040b`, String.raw`/a\040b`],
    [String.raw`/a\043b`, '/a#b'],
    [String.raw`/a\nb\tc`, String.raw`/a\nb\tc`],
    [String.raw`/a\04b\8\999`, String.raw`/a\04b\8\999`],
    [String.raw`/d\303\241ta`, '/dáta'],
    ['/dáta-数据', '/dáta-数据'],
    [String.raw`/\346\225\260\040\346\215\256`, '/数 据'],
  ])('decodes %s once, as bytes of UTF-8', (written, meant) => {
    for (const [root, point, source] of [
      [written, '/m', 's'],
      ['/', written, 's'],
      ['/', '/m', written],
    ]) {
      const [mount] = parseMountInfo(`1 0 0:1 ${root} ${point} rw - tmpfs ${source} rw`);
      expect([mount?.root, mount?.mountPoint, mount?.source]).toContain(meant);
    }
  });

  it.each(['', 'shared:1', 'shared:1 master:2', 'shared:1 master:2 propagate_from:3 unbindable'])(
    'takes any optional fields: %j',
    (optional) => {
      const line = ['36 29 0:31 / /data rw,relatime', optional, '- virtiofs data rw'].filter(Boolean).join(' ');
      expect(parseMountInfo(line)).toMatchObject([{ mountPoint: '/data', fsType: 'virtiofs', options: 'rw,relatime,rw' }]);
    },
  );

  it.each([
    '36',
    '36 29 0:31 / /data',
    '36 29 0:31 / /data rw virtiofs data rw',
    '36 29 0:31 / /data rw -',
    '- - - - - - - -',
    '\0',
  ])('leaves out %j', (line) => {
    expect(parseMountInfo(`${line}\n1 0 8:1 / / rw - ext4 /dev/sda rw\n${line}`)).toHaveLength(1);
  });
});

describe('which mount is seen', () => {
  const at = (table: string, path: string) => mountOf(parseMountInfo(table), path)?.source;

  it('is not one below a mount that was made later on a folder above it', () => {
    const table = `1 0 8:1 / / rw - ext4 root rw
2 1 0:2 / /a/b rw - tmpfs below rw
3 1 0:3 / /a rw - tmpfs over rw`;
    expect(at(table, '/a/b/x')).toBe('over');
    // Made the other way round, the same points are nested.
    expect(at(table.replace('2 1 0:2', '2 3 0:2'), '/a/b/x')).toBe('below');
  });

  it('is the topmost of a stack, in whatever order it is listed', () => {
    const lines = ['5 1 0:2 / /a rw - tmpfs first rw', '6 5 0:3 / /a rw - tmpfs second rw', '7 6 0:4 / /a rw - tmpfs third rw'];
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ])
      expect(at(['1 0 8:1 / / rw - ext4 root rw', ...order.map((index) => lines[index])].join('\n'), '/a/x')).toBe('third');
  });

  it('is the last listed where the table says no more', () => {
    expect(at('5 1 0:2 / /a rw - tmpfs first rw\n6 1 0:3 / /a rw - tmpfs second rw', '/a')).toBe('second');
    expect(at('5 5 0:2 / /a rw - tmpfs first rw\n5 5 0:3 / /a rw - tmpfs second rw', '/a')).toBe('second');
    // Each hides the other.
    expect(at('5 6 0:2 / /a rw - tmpfs first rw\n6 5 0:3 / /a rw - tmpfs second rw', '/a')).toBe('second');
  });

  it('is not a place where autofs waits', () => {
    const waiting = `1 0 8:1 / / rw - ext4 root rw
2 1 0:2 / /net rw - autofs /etc/auto.net rw,fd=7
3 2 0:3 / /net/srv rw - autofs /etc/auto.net rw,fd=7`;
    expect(at(waiting, '/net/srv/x')).toBe('root');
    expect(at(`${waiting}\n4 3 0:4 / /net/srv rw - nfs4 srv:/ rw`, '/net/srv/x')).toBe('srv:/');
    expect(at('2 1 0:2 / /net rw - autofs x rw', '/net/x')).toBeUndefined();
    // Waiting on top of a stack that is listed the other way round.
    const stack = '3 2 0:3 / /net rw - tmpfs upper rw\n2 1 0:2 / /net rw - tmpfs lower rw\n4 3 0:4 / /net/srv rw - autofs x rw';
    expect(at(`1 0 8:1 / / rw - ext4 root rw\n${stack}`, '/net/srv/x')).toBe('upper');
  });
});
