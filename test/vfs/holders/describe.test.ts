// Holders in words.

import { describe, expect, it } from 'vitest';
import { describeHolders, shortCommand, timeText } from '../../../vfs/holders/describe.ts';
import type { Holder, HolderReport } from '../../../vfs/holders/holder.ts';

const NOON = new Date(2026, 5, 7, 12, 0).getTime();
const NOTHING: HolderReport = { holders: [], unattributed: [], uninspected: 0, limits: [] };

function holder(pid: number, locks: string[], more: Partial<Holder> = {}): Holder {
  const startedAt = new Date(2026, 5, 7, 9, 3).getTime();
  return {
    pid,
    command: 'python3 agent.py',
    startedAt,
    container: undefined,
    files: [{ part: 'main', lost: false }],
    locks: locks.map((lock) => ({ lock, kind: 'write', owner: 'POSIX' })),
    ...more,
  };
}

const say = (report: Partial<HolderReport>, options = {}) =>
  describeHolders({ ...NOTHING, ...report }, { now: NOON, ...options });

describe('holders in words', () => {
  it('name process, command, start and lock', () => {
    expect(say({ holders: [holder(4711, ['RESERVED', 'SHARED'])] })).toBe(
      'process 4711 (python3 agent.py, since 09:03) holds RESERVED',
    );
    expect(say({ holders: [holder(1, []), holder(2, ['WAL-write', 'dead-man'])] })).toBe(
      'process 1 (python3 agent.py, since 09:03) has it open; process 2 (python3 agent.py, since 09:03) holds WAL-write',
    );
    expect(say({ holders: [holder(5, ['SHARED'], { startedAt: undefined, container: 'docker 3f2a9c01b2d4' })] })).toBe(
      'process 5 (python3 agent.py, in docker 3f2a9c01b2d4) holds SHARED',
    );
  });

  it('say that it is us, and leave us out', () => {
    const report = { holders: [holder(7, ['RESERVED'])] };
    expect(say(report, { self: 7 })).toBe('this process (7) holds RESERVED');
    expect(say(report, { except: 7 })).toBe('nobody else is seen to have it open');
  });

  it('say what was lost', () => {
    const files = [{ part: 'main', lost: false } as const, { part: 'wal', lost: true } as const];
    expect(say({ holders: [holder(3, ['WAL-write'], { files })] })).toMatch(
      /holds WAL-write and uses a wal file that is no longer at the path$/,
    );
    expect(say({ holders: [holder(3, [], { files: [{ part: 'main', lost: true }] })] })).toMatch(
      /\) uses a main file that is no longer/,
    );
  });

  it('say what could not be found out', () => {
    expect(say({})).toBe('nobody is seen to have it open');
    expect(
      say({ unattributed: [{ lock: 'RESERVED', kind: 'write', owner: 'OFD' }], uninspected: 2, limits: ['the rest is hidden'] }),
    ).toBe(
      'somebody who cannot be found holds RESERVED; 2 processes cannot be inspected and may have it open; the rest is hidden',
    );
  });

  it('name five and count the rest', () => {
    const text = say({ holders: Array.from({ length: 9 }, (_, index) => holder(index + 1, [])) });
    expect(text).toContain('process 5 ');
    expect(text).not.toContain('process 6 ');
    expect(text).toContain('4 more have it open');
  });

  it('stay on one line and within bounds, whatever a process calls itself', () => {
    const command = `sh -c "\n\x1b[31mrm\u202e ${'x'.repeat(5000)}" last-argument`;
    const text = say({ holders: [holder(1, [], { command })] });
    expect(text).not.toMatch(/[\x00-\x1f\u202e]/);
    expect(text.length).toBeLessThan(150);
    expect(text).toContain('last-argument');
    // 80 characters, none of them half.
    expect([...shortCommand('😀'.repeat(200))]).toEqual([...Array(40).fill('😀'), '…', ...Array(39).fill('😀')]);
    expect(shortCommand('a'.repeat(80))).toBe('a'.repeat(80));
    expect(shortCommand('/usr/bin/python3 /srv/agent.py')).toBe('/usr/bin/python3 /srv/agent.py');
    expect(shortCommand(`/opt/${'deep/'.repeat(20)}bin/python3 /srv/agent.py`)).toBe('python3 /srv/agent.py');
  });

  it('tell the day where it was not today', () => {
    expect(timeText(new Date(2026, 5, 6, 23, 59).getTime(), NOON)).toBe('2026-06-06 23:59');
  });
});
