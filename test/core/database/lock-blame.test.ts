// How much looking a locked database may cost, and what is said when nobody may or can look.

import { describe, expect, it } from 'vitest';
import { LockBlamer } from '../../../core/database/lock-blame.ts';
import type { LockConflict } from '../../../vfs/fault.ts';
import type { HeldLock } from '../../../vfs/host.ts';
import { type FakeMachine, type FakeProcess, fakeHost, file } from '../../support/fake-proc.ts';

const DB = '/data/app.db';
const MAIN = file(100);
const RESERVED_BYTE = 2 ** 30 + 1;
const SELF = 50;

function conflict(pid: number | undefined, more: Partial<HeldLock> = {}): LockConflict {
  const held: HeldLock = { kind: 'write', pid, start: RESERVED_BYTE, length: 1, ...more };
  return { path: DB, lock: 'RESERVED', place: { database: DB, part: 'main', fd: 3 }, holder: () => held };
}

function holding(kind: 'READ' | 'WRITE', start: number, end = start): FakeProcess {
  const locks = [`1: OFDLCK ADVISORY  ${kind}  -1 fe:00:100 ${start} ${end}`];
  return { command: 'node\0writer.js\0', fds: { 7: { target: DB, file: MAIN, locks } } };
}

function scene(processes: FakeMachine['processes'] = {}, more: Partial<FakeMachine> = {}) {
  const fake = fakeHost({
    files: { '/data': file(2), [DB]: MAIN },
    processes: { [SELF]: {}, ...processes },
    self: SELF,
    ...more,
  });
  let searches = 0;
  const list = (path: string) => {
    if (path === '/proc') searches++;
    return fake.host.list(path);
  };
  return { fake, blamer: new LockBlamer({ ...fake.host, list }), searches: () => searches };
}

describe('whom a locked database is blamed on', () => {
  it('a POSIX lock: the process that the kernel names, and only that one is looked at', () => {
    const { blamer, fake } = scene({ 60: holding('WRITE', RESERVED_BYTE), 61: { fds: { 3: { target: DB, file: MAIN } } } });
    const { clause, holders, pid } = blamer.blame(conflict(60));
    expect(clause).toMatch(/^was not free: process 60 \(node writer\.js, since .*\) holds RESERVED$/);
    expect(holders.map((holder) => holder.pid)).toEqual([60]);
    expect(pid).toBe(60);
    expect(fake.asked.some((path) => path.startsWith('/proc/61/'))).toBe(false);
  });

  it('an open file description lock: whoever has it on a descriptor; others come behind', () => {
    const { blamer } = scene({ 60: { fds: { 3: { target: DB, file: MAIN } } }, 61: holding('WRITE', RESERVED_BYTE) });
    const { clause, holders, pid } = blamer.blame(conflict(undefined));
    expect(clause).toContain('process 61 (node writer.js');
    expect([pid, ...holders.map((holder) => holder.pid)]).toEqual([61, 61, 60]);
  });

  it('several readers: all of them, and never ourselves for the lock of the very connection that asks', () => {
    const shared = [2 ** 30 + 2, 2 ** 30 + 511] as const;
    const asker: FakeProcess = {
      fds: { 3: { target: DB, file: MAIN, locks: [`1: OFDLCK ADVISORY  READ -1 fe:00:100 ${shared.join(' ')}`] } },
    };
    const readers = Object.fromEntries([60, 61, 62, 63].map((pid) => [pid, holding('READ', ...shared)]));
    const asked = conflict(undefined, { kind: 'read', start: shared[0], length: 510 });
    const { clause, holders, pid } = scene({ [SELF]: asker, ...readers }).blamer.blame(asked);
    expect(clause).toMatch(/process 60 .*, process 61 .*, process 62 .* and 1 more hold SHARED$/);
    expect([pid, ...holders.map((holder) => holder.pid)]).toEqual([undefined, 60, 61, 62, 63]);
    const other = { fds: { ...asker.fds, ...holding('READ', ...shared).fds } };
    expect(scene({ [SELF]: other }).blamer.blame(asked)).toMatchObject({
      clause: `was not free: another connection in this process (${SELF}) holds SHARED`,
      pid: SELF,
    });
  });

  it('somebody who was gone when we looked', () => {
    const gone: LockConflict = { ...conflict(1), holder: () => undefined };
    const { blamer, searches } = scene();
    expect(blamer.blame(gone).clause).toBe('was held until a moment ago');
    expect(searches()).toBe(0);
    const answers = [conflict(undefined).holder(), undefined];
    expect(blamer.blame({ ...gone, holder: () => answers.shift() }).clause).toBe('was held until a moment ago');
  });

  it('somebody who cannot be found, and why', () => {
    expect(scene({ 60: { denied: 'list' } }).blamer.blame(conflict(undefined)).clause).toBe(
      'was not free: RESERVED is held by somebody who cannot be found (1 process cannot be inspected)',
    );
    expect(scene({}, { pidNamespace: 'pid:[77]' }).blamer.blame(conflict(undefined)).clause).toContain(
      'pid namespace of its own',
    );
    expect(scene().blamer.blame(conflict(4711)).clause).toBe('was not free: process 4711 holds RESERVED');
  });

  it('nobody, where a dot-file is in the way', () => {
    expect(scene().blamer.blame({ ...conflict(1), place: undefined })).toEqual({
      clause: 'was not free',
      holders: [],
      pid: undefined,
    });
  });
});

describe('the cost of looking', () => {
  it('is at most a twentieth of the time, and what was found is said again for a second', () => {
    const { blamer, fake, searches } = scene({ 60: holding('WRITE', RESERVED_BYTE) });
    fake.slowness = 1;
    expect(blamer.blame(conflict(undefined)).clause).toContain('process 60 (node writer.js');
    const [after, took] = [searches(), fake.clock];
    expect(took).toBeGreaterThan(0);
    for (let asked = 0; asked < 100; asked++)
      expect(blamer.blame(conflict(undefined)).clause).toContain('process 60 (node writer.js');
    expect(searches()).toBe(after);
    fake.clock = took + 20 * took;
    blamer.blame(conflict(undefined));
    expect(searches()).toBeGreaterThan(after);
  });

  it('is no matter to whom has waited long enough', () => {
    const { blamer, fake, searches } = scene({ 60: holding('WRITE', RESERVED_BYTE) });
    fake.slowness = 1;
    blamer.blame(conflict(undefined));
    const [after, took] = [searches(), fake.clock];
    blamer.blame(conflict(undefined));
    expect(searches()).toBe(after);
    blamer.blame(conflict(undefined), took);
    expect(searches()).toBeGreaterThan(after);
  });

  it('is not paid for what is old: then only that is said which the kernel says by itself', () => {
    const { blamer, fake, searches } = scene({ 60: holding('WRITE', RESERVED_BYTE) });
    fake.slowness = 1000;
    blamer.blame(conflict(undefined));
    const after = searches();
    fake.slowness = 0;
    fake.clock += 1001;
    expect(blamer.blame(conflict(undefined)).clause).toBe(
      'was not free: RESERVED is held by an open file description lock, which carries no pid (its holder was not searched for again so soon)',
    );
    expect(blamer.blame(conflict(60))).toEqual({ clause: 'was not free: process 60 holds RESERVED', holders: [], pid: 60 });
    expect(searches()).toBe(after);
  });

  it('does not make us repeat of one database what was found of another', () => {
    const { blamer, fake } = scene({ 60: holding('WRITE', RESERVED_BYTE) });
    fake.slowness = 10;
    expect(blamer.blame(conflict(undefined)).holders).toHaveLength(1);
    const other = { ...conflict(undefined), place: { database: '/data/other.db', part: 'main' as const, fd: 3 } };
    expect(blamer.blame(other).holders).toEqual([]);
    expect(blamer.blame(conflict(undefined)).holders).toHaveLength(1);
  });

  it('is no reason to leave the second of two databases without a name, where a lock was waited for', () => {
    const { blamer, fake } = scene({ 60: holding('WRITE', RESERVED_BYTE) });
    fake.slowness = 1;
    const other = { ...conflict(undefined), place: { database: '/data/other.db', part: 'main' as const, fd: 3 } };
    blamer.blame(other, 60_000);
    expect(blamer.blame(conflict(undefined), 60_000).clause).toContain('process 60 (node writer.js');
  });
});
