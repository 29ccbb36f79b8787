// Mount tables made at random, against simple answers: nothing throws, and the mount that is seen is the one the kernel would use.

import { describe, expect, it } from 'vitest';
import { type Mount, mountOf, parseMountInfo } from '../../../vfs/mount/mountinfo.ts';
import { randomFrom } from '../../support/random.ts';
import { judged } from './judged.ts';

/** Fixed, so that the test is the same in each run. */
const SEED = 20260914;
const CLASSES = ['native', 'cross-vm', 'network', 'fuse', 'unknown'];
const NAMES = ['a', 'ab', 'a b', 'b\\040', '数据', 'x\ny', '-', 'a#'];

function escaped(path: string): string {
  return path.replace(/[ \t\n\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

function randomPath(random: (limit: number) => number, most: number): string {
  const parts = Array.from({ length: random(most + 1) }, () => NAMES[random(NAMES.length)]);
  return `/${parts.join('/')}`;
}

/** Whether the mount point is the path, or a folder above it. */
function isAbove(point: string, path: string): boolean {
  const parts = (text: string) => text.split('/').filter(Boolean);
  return parts(point).every((part, index) => parts(path)[index] === part);
}

describe('random mount tables', () => {
  it('without relations: the longest point wins, then the last line', () => {
    const random = randomFrom(SEED);
    for (let round = 0; round < 2000; round++) {
      const points = Array.from({ length: 1 + random(8) }, () => randomPath(random, 3));
      const optional = ['', 'shared:1 ', 'shared:1 master:2 '];
      const lines = points.map(
        (point, index) => `${100 + index} 1 0:1 / ${escaped(point)} rw ${optional[random(3)]}- tmpfs ${index} rw,x=- - y`,
      );
      for (let at = random(3); at > 0; at--)
        lines.splice(random(lines.length), 0, ['junk', '', '1 2 3 / /a', '- - -'][random(4)] ?? '');
      const path = randomPath(random, 5);
      const depth = (point: string) => point.split('/').filter(Boolean).length;
      const above = points.map((point, index) => ({ point, index })).filter(({ point }) => isAbove(point, path));
      const best = above.sort((one, other) => depth(other.point) - depth(one.point) || other.index - one.index)[0];
      const found = mountOf(parseMountInfo(lines.join('\n')), path);
      expect([found?.mountPoint, found?.source], `${path} in\n${lines.join('\n')}`).toEqual([
        best?.point,
        best && String(best.index),
      ]);
    }
  });

  it('as mount(2) makes them: what a walk from the root arrives at', () => {
    const random = randomFrom(SEED + 1);
    for (let round = 0; round < 2000; round++) {
      const mounts: Mount[] = [made('1', '0', '/')];
      for (let at = random(8); at > 0; at--) {
        const point = randomPath(random, 3);
        mounts.push(made(String(mounts.length + 1), walk(mounts, point).id, point));
      }
      const path = randomPath(random, 5);
      const expected = walk(mounts, path).id;
      // In the order in which they were made, as the kernel lists them, and in any other.
      for (const listed of [mounts, mounts.toReversed()]) {
        const lines = listed.map(({ id, parent, mountPoint }) => `${id} ${parent} 0:1 / ${escaped(mountPoint)} rw - tmpfs x rw`);
        const table = lines.join('\n');
        expect(mountOf(parseMountInfo(table), path)?.id, `${path} in\n${table}`).toBe(expected);
      }
    }
  });

  it('of any characters: an answer, and never an exception', () => {
    const random = randomFrom(SEED + 2);
    const pieces = [
      ...[
        '36',
        '29',
        '0:31',
        '/',
        '/data',
        ' ',
        '  ',
        '-',
        ' - ',
        '\n',
        '\r\n',
        '\\040',
        '\\',
        '\\777',
        '\0',
        'ext4',
        'overlay',
        '9p',
      ],
      ...[
        'fuse.',
        'autofs',
        'upperdir=/data/u',
        'upperdir=',
        ',',
        '\\,',
        '//deleted',
        '\u{1f600}',
        '\ud800',
        'rfdno=1',
        'nfs nolock',
      ],
    ];
    const good = '36 29 0:31 / /data rw shared:1 - overlay x rw,upperdir=/data/u,nolock';
    for (let round = 0; round < 5000; round++) {
      let table = random(2) ? good : '';
      for (let at = random(30); at > 0; at--) {
        const place = random(table.length + 1);
        table = table.slice(0, place) + pieces[random(pieces.length)] + table.slice(place + random(3));
      }
      const ground = judged(table, '/data/app.db', { realPath: (path) => path, isFile: () => true });
      expect(CLASSES, table).toContain(ground.class);
      if (ground.walSafe) expect(ground.class, table).toBe('native');
      expect(ground.reason.length).toBeGreaterThan(0);
    }
  });

  it('of thousands of lines are read in one go', () => {
    const lines = Array.from(
      { length: 5000 },
      (_, at) => `${at + 100} 29 0:${at} / /m/${at} rw - overlay overlay rw,upperdir=/m/${at}/u`,
    );
    expect(judged(lines.join('\n'), '/m/4999/app.db').mountPoint).toBe('/m/4999');
    // Each lies on the one before.
    const nested = lines.map((line, at) => line.replace(/upperdir=.*/, `upperdir=/m/${at + 1}/u`));
    expect(judged(nested.join('\n'), '/m/0/app.db', { realPath: (path) => path }).class).toBe('unknown');
  });
});

function made(id: string, parent: string, mountPoint: string): Mount {
  return { id, parent, root: '/', mountPoint, fsType: 'tmpfs', source: 'x', options: 'rw' };
}

/** As path_resolution(7) has it: at each name along the path, onto whatever is mounted there on the mount where we are. */
function walk(mounts: readonly Mount[], path: string): Mount {
  const names = path.split('/').filter(Boolean);
  let here = mounts[0] as Mount;
  for (let length = 0; length <= names.length; length++) {
    const point = `/${names.slice(0, length).join('/')}`;
    for (let next = on(mounts, here, point); next; next = on(mounts, here, point)) here = next;
  }
  return here;
}

function on(mounts: readonly Mount[], parent: Mount, point: string): Mount | undefined {
  return mounts.find((mount) => mount.parent === parent.id && mount.mountPoint === point);
}
