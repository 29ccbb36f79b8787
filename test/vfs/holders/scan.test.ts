// The scan over a /proc of our own making: what it finds, what it counts as unknown, what it never touches.

import { describe, expect, it } from 'vitest';
import type { HolderReport } from '../../../vfs/holders/holder.ts';
import { holdersOf, scanHolders } from '../../../vfs/holders/scan.ts';
import { type FakeMachine, type FakeProcess, fakeHost, file, ROOT_DEV, ROOT_MOUNT } from '../../support/fake-proc.ts';

const DB = '/data/app.db';
const [MAIN, WAL, SHM, JOURNAL] = [file(100), file(101), file(102), file(103)];
const FILES = { '/data': file(2), [DB]: MAIN, [`${DB}-wal`]: WAL, [`${DB}-shm`]: SHM };
const RESERVED = (pid: number) => `1: POSIX  ADVISORY  WRITE ${pid} fe:00:100 1073741825 1073741825`;
const OFD_SHARED = '2: OFDLCK ADVISORY  READ  -1 fe:00:100 1073741826 1073742335';

function look(machine: FakeMachine, path = DB): HolderReport {
  return holdersOf(fakeHost({ files: FILES, ...machine }).host, path);
}

/** What a process has open, in short: `main`, `wal lost`. */
function filesOf(report: HolderReport): Record<number, string[]> {
  return Object.fromEntries(
    report.holders.map(({ pid, files }) => [pid, files.map(({ part, lost }) => (lost ? `${part} lost` : part))]),
  );
}

describe('holders', () => {
  it('are found by device and inode, whatever the link says', () => {
    const report = look({
      processes: {
        10: { command: 'python3\0a.py\0', fds: { 3: { target: DB, file: MAIN }, 4: { target: `${DB}-wal`, file: WAL } } },
        11: { fds: { 9: { target: '/alias/other-name', file: MAIN }, 10: { target: '/alias/s', file: SHM } } },
        // OpenZFS says so of live files.
        12: { fds: { 3: { target: `${DB} (deleted)`, file: MAIN } } },
        // The same number on another device, and the same name elsewhere.
        13: { fds: { 3: { target: '/x/app.db', file: file(100, '99') }, 4: { target: '/y/app.db', file: file(7) } } },
        14: { fds: { 0: { target: '/dev/null', file: file(3) }, 1: { target: 'pipe:[100]' }, 2: { target: 'socket:[100]' } } },
      },
    });
    expect(filesOf(report)).toEqual({ 10: ['main', 'wal'], 11: ['main', 'shm'], 12: ['main'] });
    expect(report).toMatchObject({ unattributed: [], uninspected: 0, limits: [] });
    expect(report.holders[0]?.command).toBe('python3 a.py');
  });

  it('are not those who got the inode of a sidecar that was deleted while we looked', () => {
    // The WAL is closed and deleted after its identity was noted, and another database's WAL gets its inode.
    const { host } = fakeHost({
      files: FILES,
      processes: {
        10: { fds: { 3: { target: DB, file: MAIN } } },
        11: {
          fds: { 3: { target: '/data/other.db-wal', file: WAL, locks: ['1: POSIX  ADVISORY  WRITE 11 fe:00:101 120 120'] } },
        },
      },
    });
    let asked = 0;
    const status: typeof host.status = (path) => (path === `${DB}-wal` && asked++ > 0 ? -2 : host.status(path));
    expect(filesOf(holdersOf({ ...host, status }, DB))).toEqual({ 10: ['main'] });
  });

  it('are found for many databases in one pass, each under the path that was given', () => {
    const other = '/data/other.db';
    const { host } = fakeHost({
      files: { ...FILES, [other]: file(200) },
      processes: { 10: { fds: { 3: { target: DB, file: MAIN } } }, 11: { fds: { 3: { target: other, file: file(200) } } } },
    });
    const lists: string[] = [];
    const list = (path: string) => {
      lists.push(path);
      return host.list(path);
    };
    const reports = scanHolders({ ...host, list }, [DB, other, '/data/none.db']);
    expect([...reports].map(([path, report]) => [path, report.holders.map(({ pid }) => pid)])).toEqual([
      [DB, [10]],
      [other, [11]],
      ['/data/none.db', []],
    ]);
    expect(lists.filter((path) => path === '/proc/10/fd')).toHaveLength(1);
  });

  it('have each file and each lock once, however many descriptors', () => {
    const locks = [RESERVED(10), '2: POSIX  ADVISORY  READ 10 fe:00:100 1073741826 1073742335'];
    const report = look({
      processes: {
        10: {
          fds: { 3: { target: DB, file: MAIN, locks }, 4: { target: DB, file: MAIN }, 5: { target: DB, file: MAIN, locks } },
        },
      },
      locks: `${locks.join('\n')}\n`,
    });
    expect(report.holders).toHaveLength(1);
    expect(report.holders[0]?.files).toEqual([{ part: 'main', lost: false }]);
    expect(report.holders[0]?.locks).toEqual([
      { lock: 'RESERVED', kind: 'write', owner: 'POSIX' },
      { lock: 'SHARED', kind: 'read', owner: 'POSIX' },
    ]);
    expect(report.unattributed).toEqual([]);
  });

  it('do not make us ask about files whose inode number does not fit: theirs may lie on a dead mount', () => {
    const fake = fakeHost({
      files: FILES,
      processes: {
        10: {
          fds: { 3: { target: '/net/dead/file', file: file(55) }, 4: { target: '/net/dead/app.db', file: file(56), mountId: 9 } },
        },
      },
    });
    holdersOf(fake.host, DB);
    expect(fake.asked.filter((path) => path.startsWith('/proc/10/'))).toEqual([]);
  });

  it('are found where the kernel tells no inode numbers', () => {
    const fds = {
      3: { target: '/alias', file: MAIN, withoutInode: true },
      4: { target: '/other', file: file(9), withoutInode: true },
    };
    expect(filesOf(look({ processes: { 10: { fds } } }))).toEqual({ 10: ['main'] });
  });
});

describe('what cannot be inspected', () => {
  it('is counted, but for kernel threads, the dead and the vanished', () => {
    const report = look({
      processes: {
        10: { denied: 'list' },
        11: { denied: 'links', fds: { 3: { target: DB, file: MAIN } } },
        12: { denied: 'list', flags: 2129984 },
        13: { denied: 'list', state: 'Z' },
        14: { vanished: true },
        15: {},
      },
    });
    expect(report).toEqual({ holders: [], unattributed: [], uninspected: 2, limits: [] });
  });

  it('shows by its POSIX locks all the same', () => {
    const report = look({
      processes: { 10: { denied: 'list', command: 'postgres\0' } },
      locks: `${RESERVED(10)}\n1: -> POSIX  ADVISORY  WRITE 11 fe:00:100 1073741825 1073741825\n`,
    });
    expect(report.holders).toMatchObject([
      {
        pid: 10,
        command: 'postgres',
        files: [{ part: 'main', lost: false }],
        locks: [{ lock: 'RESERVED', kind: 'write', owner: 'POSIX' }],
      },
    ]);
    expect(report.uninspected).toBe(1);
  });

  it('leaves a lock without a pid unattributed, one for each that no descriptor explains', () => {
    const fds = { 3: { target: DB, file: MAIN, locks: [OFD_SHARED] } };
    const report = look({ processes: { 10: { fds }, 11: { denied: 'list' } }, locks: `${OFD_SHARED}\n${OFD_SHARED}\n` });
    expect(filesOf(report)).toEqual({ 10: ['main'] });
    expect(report.unattributed).toEqual([{ lock: 'SHARED', kind: 'read', owner: 'OFD' }]);
    // Not on this file: another inode, another device, and bytes that SQLite never locks.
    const foreign = ['fe:00:999 1073741825 1073741825', 'fe:01:100 1073741825 1073741825', 'fe:00:100 5 6'];
    const locks = foreign.map((where) => `1: OFDLCK ADVISORY  WRITE -1 ${where}\n`).join('');
    expect(look({ locks }).unattributed).toEqual([]);
  });

  it('is matched by the number of the superblock too, which on btrfs and overlay is not st_dev', () => {
    const mountInfo = `${ROOT_MOUNT}30 27 0:31 /data /data rw - btrfs /dev/loop0 rw\n`;
    const report = look({ mountInfo, locks: '1: OFDLCK ADVISORY  WRITE -1 00:1f:102 120 120\n' });
    expect(report.unattributed).toEqual([{ lock: 'WAL-write', kind: 'write', owner: 'OFD' }]);
  });

  it('of a process that is hidden altogether is told as far as the locks tell', () => {
    expect(look({ locks: `${RESERVED(4711)}\n` }).holders).toMatchObject([{ pid: 4711, command: '[hidden]' }]);
  });

  it('is not invented from a lock that was only just taken or dropped', () => {
    const { host } = fakeHost({ files: FILES });
    let readings = 0;
    const readText = (path: string) =>
      path === '/proc/locks' ? (readings++ === 0 ? `${OFD_SHARED}\n` : '') : host.readText(path);
    expect(holdersOf({ ...host, readText }, DB).unattributed).toEqual([]);
    expect(readings).toBeGreaterThan(1);
  });
});

describe('a lost file', () => {
  const lostMain: FakeProcess = { fds: { 3: { target: `${DB} (deleted)`, file: file(90) } } };

  it('is one that was at the path, where another is now, or nothing', () => {
    expect(filesOf(look({ processes: { 10: lostMain } }))).toEqual({ 10: ['main lost'] });
    expect(filesOf(look({ files: { '/data': file(2) }, processes: { 10: lostMain } }))).toEqual({ 10: ['main lost'] });
    // Without "(deleted)" as well: a mount may cover the path.
    const covered = { 3: { target: DB, file: file(90) } };
    expect(filesOf(look({ processes: { 10: { fds: covered } } }))).toEqual({ 10: ['main lost'] });
    const journal = { 3: { target: DB, file: MAIN }, 4: { target: `${DB}-journal (deleted)`, file: JOURNAL } };
    expect(filesOf(look({ processes: { 10: { fds: journal } } }))).toEqual({ 10: ['main', 'journal lost'] });
  });

  it('has locks that stand in nobody’s way', () => {
    const locks = ['1: POSIX  ADVISORY  WRITE 10 fe:00:90 1073741825 1073741825'];
    const report = look({
      processes: { 10: { fds: { 3: { target: `${DB} (deleted)`, file: file(90), locks } } } },
      locks: `${locks[0]}\n`,
    });
    expect(report.holders[0]?.locks).toEqual([]);
    expect(report.unattributed).toEqual([]);
  });

  it('is a WAL that was moved away, under whatever name: the wal-index is in use, and nobody uses it without a WAL', () => {
    const dead = ['1: POSIX  ADVISORY  READ 10 fe:00:102 128 128'];
    const shm = { target: `${DB}-shm`, file: SHM, locks: dead };
    const moved = { 3: { target: DB, file: MAIN }, 4: { target: '/data/elsewhere', file: file(91) }, 5: shm };
    expect(filesOf(look({ processes: { 10: { fds: moved } } }))).toEqual({ 10: ['main', 'wal lost', 'shm'] });
    const whole = { ...moved, 4: { target: `${DB}-wal`, file: WAL } };
    expect(filesOf(look({ processes: { 10: { fds: whole } } }))).toEqual({ 10: ['main', 'wal', 'shm'] });
  });

  it('is found in a container, whose paths are others, by its folder', () => {
    const fds = { 3: { target: '/srv/app.db (deleted)', file: file(90), mountId: 500 } };
    const inside = { mountNamespace: 'mnt:[2]', mountInfo: '500 1 254:0 /data /srv rw - ext4 /dev/vda rw\n', fds };
    expect(filesOf(look({ processes: { 10: { ...inside, root: { '/srv': file(2) } } } }))).toEqual({ 10: ['main lost'] });
    // Another folder of that file system, and another file system.
    expect(filesOf(look({ processes: { 10: { ...inside, root: { '/srv': file(5) } } } }))).toEqual({});
    const elsewhere = { ...inside, mountInfo: '500 1 0:77 / /srv rw - nfs server:/ rw\n', root: { '/srv': file(2) } };
    expect(filesOf(look({ processes: { 10: elsewhere } }))).toEqual({});
    // The very path, but of a container's own file.
    const own = { mountNamespace: 'mnt:[2]', fds: { 3: { target: DB, file: file(90, '99'), mountId: 501 } } };
    expect(filesOf(look({ processes: { 10: own } }))).toEqual({});
  });

  it('is not a journal that came or went while we looked', () => {
    const journal = { 4: { target: `${DB}-journal`, file: JOURNAL } };
    const { host } = fakeHost({ files: FILES, processes: { 10: { fds: journal } } });
    const slept: number[] = [];
    const appears = {
      ...host,
      sleep: (ms: number) => void slept.push(ms),
      status: (path: string) => host.status(slept.length > 0 && path === `${DB}-journal` ? '/proc/10/fd/4' : path),
    };
    expect(filesOf(holdersOf(appears, DB))).toEqual({ 10: ['journal'] });
    const goes = {
      ...host,
      sleep: (ms: number) => void slept.push(ms),
      status: (path: string) => (slept.length > 1 && path === '/proc/10/fd/4' ? -2 : host.status(path)),
    };
    expect(filesOf(holdersOf(goes, DB))).toEqual({});
  });

  it('may itself have a name that ends in (deleted)', () => {
    const path = '/data/app (deleted)';
    const machine = {
      files: { '/data': file(2), [path]: MAIN },
      processes: { 10: { fds: { 3: { target: path, file: MAIN } } } },
    };
    expect(filesOf(look(machine, path))).toEqual({ 10: ['main'] });
  });
});

describe('the limits of what is seen', () => {
  it('are said: no /proc, and another system', () => {
    expect(look({ withoutProc: true })).toMatchObject({ holders: [], limits: [expect.stringContaining('no readable /proc')] });
    const mac = { ...fakeHost({ files: FILES }).host, platform: 'darwin' as const };
    expect(holdersOf(mac, DB).limits).toHaveLength(1);
  });

  it('are said: a pid namespace of our own, hidden processes, no list of locks', () => {
    expect(look({ pidNamespace: 'pid:[4026532000]' }).limits).toEqual([expect.stringContaining('pid namespace of its own')]);
    expect(look({ locks: null }).limits).toEqual([expect.stringContaining('/proc/locks')]);
    const { host } = fakeHost({ files: FILES });
    expect(holdersOf({ ...host, list: (path) => (path === '/proc' ? ['77'] : host.list(path)) }, DB).limits).toEqual([
      expect.stringContaining('hidepid'),
    ]);
  });

  it('are said: files that cannot be looked at', () => {
    const { host } = fakeHost({ files: FILES });
    const denied = holdersOf({ ...host, realPath: () => -13 }, DB);
    expect(denied).toMatchObject({ holders: [], limits: [expect.stringContaining(`${DB} could not be looked at (EACCES`)] });
    const status = (path: string) => (path === `${DB}-shm` ? -5 : host.status(path));
    expect(holdersOf({ ...host, status }, DB).limits).toEqual([expect.stringContaining(`${DB}-shm could not be looked at (EIO`)]);
  });
});

it('the fake is as the test thinks', () => {
  expect(ROOT_DEV).toBe('65024');
});
