// Options that change what is said of a mount: locks that stay at home, gVisor, drives of Windows.

import { describe, expect, it } from 'vitest';
import { parseMountInfo } from '../../../vfs/mount/mountinfo.ts';
import { optionsOf, optionValue } from '../../../vfs/mount/options.ts';
import { judged, onData, ROOT } from './judged.ts';

describe('locks that stay on this machine', () => {
  it.each([
    ['nfs', 'rw,vers=3,nolock,addr=10.0.0.1', 'nolock'],
    ['nfs', 'rw,vers=3,local_lock=all', 'local_lock=all'],
    ['nfs4', 'rw,vers=4.2,local_lock=posix', 'local_lock=posix'],
    ['cifs', 'rw,vers=3.1.1,nobrl,cache=strict', 'nobrl'],
    ['smb3', 'nobrl', 'nobrl'],
    ['lustre', 'rw,localflock', 'localflock'],
  ])('are said of %s with %s', (type, options, named) => {
    const ground = onData(type, 'srv:/x', options);
    expect(ground).toMatchObject({ class: 'network', walSafe: false });
    expect(ground.reason).toContain(`mounted with ${named}, `);
    expect(ground.reason).toContain('in no journal mode');
    expect(ground.remedy).toMatch(new RegExp(`^mount it without ${named}, .*holdfast journal FILE delete`));
  });

  it.each([
    ['nfs', 'rw,local_lock=none'],
    ['nfs', 'rw,local_lock=flock'],
    ['nfs', 'rw,lock'],
    ['cifs', 'rw,brl,nolock'],
    ['ceph', 'rw,nolock,nobrl'],
  ])('are not said of %s with %s', (type, options) => {
    expect(onData(type, 'srv:/x', options).reason).not.toContain('mounted with');
  });
});

describe('gVisor', () => {
  const OPTIONS = 'rw,trans=fd,rfdno=4,wfdno=4,aname=/,dfltuid=4294967294,dfltgid=4294967294,cache=remote_revalidating,directfs';

  it('has a root of its own', () => {
    const ground = judged(`1 0 0:12 / / rw - 9p none ${OPTIONS}`, '/opt/data/state.db');
    expect(ground).toMatchObject({ class: 'native', walSafe: true, mountPoint: '/', fsType: '9p' });
    expect(ground.reason).toContain('gVisor');
    expect(ground.remedy).toBeUndefined();
  });

  it.each(['rw,trans=fd,rfdno=50,wfdno=50,aname=/', 'rw,trans=fd,directfs', OPTIONS])(
    'cannot tell who else uses a volume (%s)',
    (options) => {
      const ground = judged(
        `1 0 0:12 / / rw - 9p none ${OPTIONS}\n43 1 0:40 / /opt/data rw - 9p none ${options}`,
        '/opt/data/state.db',
      );
      expect(ground).toMatchObject({ class: 'cross-vm', walSafe: false, mountPoint: '/opt/data' });
      expect(ground.reason).toContain('gVisor');
      expect(ground.remedy).toContain('trustMount: true');
    },
  );

  it('is not seen in a 9p root of Linux itself', () => {
    const ground = judged('1 0 0:12 / / rw - 9p none rw,trans=fd,rfd=4,wfd=4', '/x.db');
    expect(ground).toMatchObject({ class: 'cross-vm', walSafe: false });
    expect(ground.reason).not.toContain('gVisor');
    for (const type of ['fuse.x', 'virtiofs', 'ext4'])
      expect(onData(type, 'x', 'rw,rfdno=4,directfs').reason).not.toContain('gVisor');
  });
});

describe('options', () => {
  const mount = (options: string) => parseMountInfo(`36 29 0:31 / /m rw - overlay overlay ${options}`)[0] as never;

  it('are split at commas that are not escaped', () => {
    expect(optionsOf(mount(String.raw`a,upperdir=/x\,y,b`))).toEqual(['rw', 'a', String.raw`upperdir=/x\,y`, 'b']);
    expect(optionsOf(mount(',,'))).toEqual(['rw']);
  });

  it.each([
    [String.raw`upperdir=/x\,y,b`, '/x,y'],
    [String.raw`upperdir=/x\054y`, '/x,y'],
    [String.raw`upperdir=/my\040data`, '/my data'],
    [String.raw`upperdir=/a\134040b`, String.raw`/a\040b`],
    [String.raw`upperdir=/a\\b`, String.raw`/a\b`],
    [String.raw`upperdir=/a\:b`, '/a:b'],
    ['lowerdir=/l,upperdir=/u=1,workdir=/w', '/u=1'],
    ['upperdir=', ''],
    ['lowerdir=/upperdir=/x', undefined],
  ])('have values, unescaped once: %s', (options, value) => {
    expect(optionValue(mount(options), 'upperdir')).toBe(value);
  });

  it('tell a drive of Windows', () => {
    const table = String.raw`${ROOT}
80 29 0:50 / /mnt/c rw,noatime - 9p C:\134 rw,dirsync,aname=drvfs;path=C:\;uid=1000;gid=1000;symlinkroot=/mnt/,mmap,access=client,msize=65536,trans=fd,rfd=8,wfd=8`;
    const ground = judged(table, '/mnt/c/Users/ann/app.db');
    expect(ground).toMatchObject({ class: 'cross-vm', source: 'C:\\' });
    expect(ground.reason).toContain('Windows drive');
  });
});
