// A file system that keeps its files in a folder of another one is as safe as that one.

import { describe, expect, it } from 'vitest';
import { judged, ROOT } from './judged.ts';

const SHARE = '36 29 0:31 / /share rw - 9p host rw,mmap,trans=virtio';
const here = { realPath: (path: string) => path };

describe('an overlay', () => {
  it.each([
    ['/var/u', 'native', 'ext4'],
    ['/share/u', 'cross-vm', '9p'],
    [String.raw`/share/my\040upper\054x`, 'cross-vm', '9p'],
    ['/srv/u', 'network', 'nfs4'],
    ['/fuse/u', 'fuse', 'fuse.mergerfs'],
    ['/odd/u', 'unknown', 'foofs'],
  ])('with upper folder %s is %s', (upper, kind, type) => {
    const table = `${ROOT}
${SHARE}
37 29 0:32 / /srv rw - nfs4 srv:/x rw
38 29 0:33 / /fuse rw - fuse.mergerfs a:b rw
39 29 0:34 / /odd rw - foofs x rw
66 29 0:40 / /m rw,relatime - overlay overlay rw,lowerdir=/l,upperdir=${upper},workdir=/w,uuid=on`;
    const ground = judged(table, '/m/app.db', here);
    expect(ground).toMatchObject({ class: kind, walSafe: kind === 'native', fsType: 'overlay', mountPoint: '/m' });
    expect(ground.reason).toContain(type);
    expect(ground.reason).toMatch(/^\/m is overlay, /);
    expect(ground.remedy === undefined).toBe(kind === 'native');
  });

  it('whose upper folder is reached by a link is where the link leads', () => {
    const table = `${ROOT}\n${SHARE}\n66 29 0:40 / /m rw - overlay overlay rw,upperdir=/var/u`;
    expect(judged(table, '/m/x', { realPath: () => '/share/u' }).class).toBe('cross-vm');
  });

  it('on an overlay is followed down', () => {
    const table = `${ROOT}
${SHARE}
66 29 0:40 / /a rw - overlay overlay rw,upperdir=/share/u
67 29 0:41 / /b rw - overlay overlay rw,upperdir=/a/u
68 29 0:42 / /c rw - overlay overlay rw,upperdir=/b/u`;
    const ground = judged(table, '/c/app.db', here);
    expect(ground).toMatchObject({ class: 'cross-vm', mountPoint: '/c' });
    expect(ground.reason).toMatch(/\/c is overlay.*\/b is overlay.*\/a is overlay.*\/share is 9p/);
  });

  it('in a circle is unknown, and no hang', () => {
    const table = `66 29 0:40 / /a rw - overlay overlay rw,upperdir=/b/u\n67 29 0:41 / /b rw - overlay overlay rw,upperdir=/a/u`;
    expect(judged(table, '/a/app.db', here)).toMatchObject({ class: 'unknown', walSafe: false });
  });

  it("that is a container's root, with an upper folder of the container's host, is native", () => {
    const layer = '/var/lib/docker/overlay2/0123/diff';
    const table = `500 400 0:60 / / rw,relatime master:1 - overlay overlay rw,lowerdir=/l,upperdir=${layer},workdir=/w`;
    for (const look of [{}, here]) {
      const ground = judged(table, '/root/app.db', look);
      expect(ground).toMatchObject({ class: 'native', walSafe: true });
      expect(ground.reason).toContain(layer);
    }
    // A volume over it is what it is.
    expect(judged(`${table}\n501 500 0:61 / /data rw - virtiofs x rw`, '/data/app.db').class).toBe('cross-vm');
  });

  it('without an upper folder, or with one that means nothing here, is native', () => {
    for (const options of ['ro,lowerdir=/a:/b', 'rw,upperdir=relative/u', 'rw,upperdir='])
      expect(judged(`${ROOT}\n66 29 0:40 / /m rw - overlay none ${options}`, '/m/x', here).class).toBe('native');
  });
});

describe('an encrypted folder of the kernel (ecryptfs)', () => {
  it.each([
    ['/volume1/@secret@', 'native'],
    ['/share/@secret@', 'cross-vm'],
  ])('in %s is %s', (source, kind) => {
    const table = `${ROOT}\n${SHARE}\n70 29 0:45 / /volume1/secret rw - ecryptfs ${source} rw,ecryptfs_cipher=aes`;
    expect(judged(table, '/volume1/secret/app.db', here).class).toBe(kind);
  });
});
