// Two sides that meet in a folder: what each finds out across boundaries of every kind, and that nothing is left there.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../vfs/probe/evidence.ts';
import type { Found } from '../../../vfs/probe/probe.ts';
import { report } from '../../../vfs/probe/report.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { Clock, type Faults, groundOf, run, Side } from './sides.ts';

function folderWithFiles(): string {
  const folder = tempFolder();
  fs.writeFileSync(path.join(folder, 'app.db'), 'not to be touched');
  return folder;
}

function listing(folder: string): string[] {
  return fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
}

/** A probe of two sides, the second with these faults. */
function twoSides(faults: Faults = {}): { here: Found; there: Found; codes: string[] } {
  const folder = folderWithFiles();
  const clock = new Clock();
  const sides = [new Side(clock, folder), new Side(clock, folder, { faults })] as const;
  run(clock, sides);
  expect(listing(folder)).toEqual(['app.db']);
  const [here, there] = sides.map((side) => side.found as Found) as [Found, Found];
  const codes = [here, there].map((found) => report('peer', groundOf(folder), found).verdict);
  return { here, there, codes };
}

/** What one side tells as ours the other tells as theirs. */
function mirrored(exchange: Exchange | undefined) {
  const turn = <T>(facts: { ours: T; theirs: T } | undefined) => facts && { ours: facts.theirs, theirs: facts.ours };
  return {
    locks: turn(exchange?.locks),
    writes: turn(exchange?.writes),
    mapping: turn(exchange?.mapping),
    memory: turn(exchange?.memory),
    replacement: turn(exchange?.replacement),
  };
}

describe('a probe with two sides', () => {
  it('proves that everything crosses where it does', () => {
    const { here, there, codes } = twoSides();
    expect(codes).toEqual(['all-crosses', 'all-crosses']);
    const { exchange } = here;
    expect(exchange?.exclusiveCreate).toMatchObject({ outcome: 'exclusive', names: 40 });
    expect(exchange?.makeDirectory).toMatchObject({ outcome: 'exclusive', names: 40 });
    expect(exchange?.locks).toEqual({ ours: { outcome: 'excludes' }, theirs: { outcome: 'excludes' } });
    expect(exchange?.memory).toMatchObject({
      ours: { outcome: 'seen', atOnce: true },
      theirs: { outcome: 'seen', atOnce: true },
    });
    for (const way of ['ours', 'theirs'] as const) {
      expect(Object.values(exchange?.writes?.[way] ?? {}).map((sight) => sight.outcome)).toEqual(Array(5).fill('seen'));
      expect(exchange?.replacement?.[way]).toMatchObject({ outcome: 'atomic', last: { outcome: 'seen' } });
    }
    expect(exchange?.sameKernel).toBe(true);
    expect(Object.keys(here.alone ?? {})).toHaveLength(10);
    expect(there.visitors + there.leftoversRemoved + here.visitors + here.leftoversRemoved).toBe(0);
  });

  it('tells the same on both sides, the directions turned', () => {
    const { here, there } = twoSides({ ownLocks: true, ownMemory: true, staleMs: 700 });
    const { locks, writes, mapping, memory, replacement } = there.exchange ?? {};
    expect(mirrored(here.exchange)).toEqual({ locks, writes, mapping, memory, replacement });
  });

  it('names the kernels', () => {
    const { here } = twoSides({ bootId: '11111111-2222-3333-4444-555555555555\n' });
    expect(here.exchange?.sameKernel).toBe(false);
    expect(here.exchange?.them?.kernel).toBe('111111112222');
  });

  it('sees that no lock crosses', () => {
    const { here, codes } = twoSides({ ownLocks: true });
    expect(here.exchange?.locks).toEqual({ ours: { outcome: 'ignored' }, theirs: { outcome: 'ignored' } });
    expect(codes).toEqual(['no-lock-crosses', 'no-lock-crosses']);
  });

  it('names the errno of locks that fail', () => {
    const ENOLCK = 37;
    const { here, there, codes } = twoSides({ lockErrno: ENOLCK });
    const failed = { outcome: 'failed', call: 'lock', errno: 'ENOLCK' };
    expect(here.exchange?.locks?.theirs).toEqual(failed);
    expect(there.exchange?.locks?.ours).toEqual(failed);
    expect(codes).toEqual(['locks-fail', 'locks-fail']);
  });

  it('notices a lock whose holder is not shown', () => {
    const { here, codes } = twoSides({ silentHolders: true });
    expect(here.exchange?.locks?.ours).toMatchObject({ outcome: 'flawed', flaw: expect.stringContaining('not shown') });
    expect(here.exchange?.locks?.theirs).toEqual({ outcome: 'excludes' });
    expect(codes).toEqual(['locks-flawed', 'locks-flawed']);
  });

  it('says which side cannot map, and why', () => {
    const ENODEV = 19;
    const { here, there, codes } = twoSides({ mapErrno: ENODEV });
    const failed = { outcome: 'failed', call: 'mmap', errno: 'ENODEV' };
    expect(here.exchange?.mapping).toEqual({ ours: { outcome: 'mapped' }, theirs: failed });
    expect(there.alone?.map).toEqual(failed);
    expect(here.exchange?.memory).toBeUndefined();
    expect(codes).toEqual(['no-shared-memory', 'no-shared-memory']);
  });

  it('sees that each side maps memory of its own', () => {
    const { here, codes } = twoSides({ ownMemory: true });
    expect(here.exchange?.memory).toEqual({
      ours: { outcome: 'unseen', withinMs: 2000 },
      theirs: { outcome: 'unseen', withinMs: 2000 },
    });
    expect(codes).toEqual(['memory-apart', 'memory-apart']);
  });

  it('measures how late a write is seen, and says when it is not seen at all', () => {
    const late = twoSides({ staleMs: 700 });
    const { kept, locked, reopened } = late.here.exchange?.writes?.ours ?? {};
    for (const sight of [kept, locked]) {
      expect(sight).toMatchObject({ outcome: 'seen', atOnce: false });
      expect(sight?.outcome === 'seen' && sight.afterMs).toBeGreaterThan(400);
      expect(sight?.outcome === 'seen' && sight.afterMs).toBeLessThan(1000);
    }
    // The descriptor is a new one, of which nothing is cached.
    expect(reopened).toMatchObject({ outcome: 'seen', atOnce: true });
    expect(late.codes).toEqual(['writes-late', 'writes-late']);
    const never = twoSides({ staleMs: Number.POSITIVE_INFINITY });
    expect(never.here.exchange?.writes?.ours.locked).toEqual({ outcome: 'unseen', withinMs: 3000 });
    expect(never.here.exchange?.writes?.theirs.locked).toMatchObject({ outcome: 'seen', atOnce: true });
  });

  it('counts names that were won twice', () => {
    const { here, codes } = twoSides({ laxCreate: true });
    expect(here.exchange?.exclusiveCreate).toMatchObject({ outcome: 'broken', names: 40, noWinner: 0 });
    expect(here.exchange?.exclusiveCreate?.outcome === 'broken' && here.exchange.exclusiveCreate.twoWinners).toBeGreaterThan(0);
    expect(here.exchange?.makeDirectory).toMatchObject({ outcome: 'exclusive' });
    // The side that creates twice has seen that by itself too.
    expect(codes).toEqual(['names-unsafe', 'folder-unfit']);
  });
});

describe('a probe whose partner does not do its part', () => {
  it('says so when nobody comes, in the time that it was given', () => {
    const folder = folderWithFiles();
    const clock = new Clock();
    const side = new Side(clock, folder, { timeout: 5000 });
    run(clock, [side]);
    expect(side.found?.ended).toEqual({ code: 'no-peer', message: 'No other side came within 5 s' });
    expect(side.found?.alone?.lock).toEqual({ outcome: 'works' });
    expect(clock.now).toBeGreaterThan(5000);
    expect(clock.now).toBeLessThan(6000);
    expect(listing(folder)).toEqual(['app.db']);
  });

  it('meets whoever comes late, but in time', () => {
    const folder = folderWithFiles();
    const clock = new Clock();
    const sides = [new Side(clock, folder), new Side(clock, folder, { startsAt: 50_000 })];
    run(clock, sides);
    expect(sides.map((side) => side.found?.ended)).toEqual([undefined, undefined]);
    expect(sides[0]?.found?.exchange?.waitedMs).toBeGreaterThan(49_000);
  });

  it('does not meet sides of another meeting', () => {
    const folder = folderWithFiles();
    const clock = new Clock();
    const sides = [
      new Side(clock, folder, { timeout: 3000 }),
      new Side(clock, folder, { meeting: 'aaaaaaaaaaaa' }),
      new Side(clock, folder, { meeting: 'aaaaaaaaaaaa', first: false }),
    ];
    run(clock, sides);
    expect(sides.map((side) => side.found?.ended?.code)).toEqual(['no-peer', undefined, undefined]);
    expect(listing(folder)).toEqual(['app.db']);
  });

  it('says what failed where no name can be made', () => {
    const EROFS = 30;
    const folder = folderWithFiles();
    const clock = new Clock();
    const side = new Side(clock, folder, { faults: { makeErrno: EROFS } });
    run(clock, [side]);
    expect(side.found?.ended?.code).toBe('folder-failed');
    expect(side.found?.ended?.message).toContain(folder);
    expect(side.found?.ended?.message).toContain('EROFS');
  });

  it('sends a third side away, and the two finish', () => {
    const folder = folderWithFiles();
    const clock = new Clock();
    const sides = [new Side(clock, folder), new Side(clock, folder)];
    run(clock, sides);
    const duration = clock.now;
    for (const startsAt of [0, duration * 0.3, duration * 0.6]) {
      const again = new Clock();
      const three = [new Side(again, folder), new Side(again, folder), new Side(again, folder, { startsAt, timeout: 20_000 })];
      run(again, three);
      const codes = three.map((side) => side.found?.ended?.code).sort();
      // Two are answered; the third is told, or finds nobody left if it came when they were about to go.
      expect(codes.filter((code) => code === undefined)).toHaveLength(2);
      expect(['third-side', 'no-peer']).toContain(codes[0]);
      expect(listing(folder)).toEqual(['app.db']);
    }
  });

  it('tells the two that somebody came by', () => {
    const folder = folderWithFiles();
    const clock = new Clock();
    // Where nothing is seen, the trials take long enough for a third to be there in the midst of them.
    const faults = { staleMs: Number.POSITIVE_INFINITY, ownMemory: true };
    const three = [new Side(clock, folder), new Side(clock, folder, { faults }), new Side(clock, folder, { startsAt: 2000 })];
    run(clock, three);
    expect(three.map((side) => side.found?.ended?.code)).toEqual([undefined, undefined, 'third-side']);
    expect(three.map((side) => side.found?.visitors)).toEqual([1, 1, 0]);
    expect(listing(folder)).toEqual(['app.db']);
  });
});

/** Steps that a whole probe of two takes: the first side's. */
function stepsOfOne(): number {
  const clock = new Clock();
  const folder = tempFolder();
  const both = [new Side(clock, folder), new Side(clock, folder)] as const;
  run(clock, both);
  return both[0].taken;
}

/** Points of a probe, spread over its whole course, at which a side is killed or interrupted. */
const POINTS = 20;

describe('a side that ends in the midst of it', () => {
  it('is noticed in bounded time when it is killed, and what it left is removed', () => {
    const steps = stepsOfOne();
    const ends = new Set<string>();
    for (let point = 1; point <= POINTS; point++) {
      const folder = folderWithFiles();
      const clock = new Clock();
      const sides = [new Side(clock, folder, { timeout: 60_000 }), new Side(clock, folder)] as const;
      const after = Math.round((steps * point) / POINTS);
      let killedAt = 0;
      run(clock, sides, () => {
        if (killedAt > 0 || sides[1].over || sides[1].taken < after) return;
        sides[1].kill();
        killedAt = clock.now;
      });
      ends.add(sides[0].found?.ended?.code ?? 'finished');
      expect(clock.now - killedAt).toBeLessThan(75_000);
      expect(listing(folder)).toEqual(['app.db']);
    }
    expect([...ends]).toContain('peer-silent');
    expect([...ends].filter((end) => !['peer-silent', 'no-peer', 'finished'].includes(end))).toEqual([]);
  });

  it('cleans up when it is interrupted, and the other one knows at once', () => {
    const steps = stepsOfOne();
    const ends = new Set<string>();
    for (let point = 1; point <= POINTS; point++) {
      const folder = folderWithFiles();
      const clock = new Clock();
      const sides = [new Side(clock, folder, { timeout: 8_000 }), new Side(clock, folder)] as const;
      const after = Math.round((steps * point) / POINTS);
      let interruptedAt = 0;
      run(clock, sides, () => {
        if (interruptedAt > 0 || sides[1].over || sides[1].taken < after) return;
        interruptedAt = clock.now;
        sides[1].interrupt();
      });
      const code = sides[0].found?.ended?.code ?? 'finished';
      ends.add(code);
      if (code === 'peer-left') expect(clock.now - interruptedAt).toBeLessThan(2_000);
      expect(listing(folder)).toEqual(['app.db']);
    }
    expect([...ends]).toContain('peer-left');
    expect([...ends].filter((end) => !['peer-left', 'no-peer', 'finished'].includes(end))).toEqual([]);
  });

  it('leaves nothing when both are killed and a third one comes later', () => {
    const folder = folderWithFiles();
    const clock = new Clock();
    const two = [new Side(clock, folder), new Side(clock, folder)] as const;
    const half = stepsOfOne() / 2;
    run(clock, two, () => {
      if (two[0].taken > half) for (const side of two) side.kill();
    });
    expect(listing(folder).length).toBeGreaterThan(10);
    const later = new Side(clock, folder, { timeout: 1000, startsAt: clock.now });
    run(clock, [later]);
    expect(later.found?.ended?.code).toBe('no-peer');
    expect(later.found?.leftoversRemoved).toBe(1);
    expect(listing(folder)).toEqual(['app.db']);
  });
});

describe('leftovers', () => {
  const KILLED = 'bbbbbbbbbbbb';
  const make = (folder: string, name: string) => fs.mkdirSync(path.join(folder, name), { recursive: true });

  it('of a killed probe are no partner, and are removed', () => {
    const folder = folderWithFiles();
    make(folder, `.holdfast-probe-peer1-${KILLED}.beat-7`);
    make(folder, `.holdfast-probe-peer1-${KILLED}.alone`);
    make(folder, `.holdfast-probe-peer1-cccccccccccc.with-${KILLED}/a.0.hello.ok`);
    fs.writeFileSync(path.join(folder, `.holdfast-probe-peer1-cccccccccccc.with-${KILLED}`, 'file.locked'), 'x');
    const clock = new Clock();
    const sides = [new Side(clock, folder), new Side(clock, folder)];
    run(clock, sides);
    expect(sides.map((side) => side.found?.ended)).toEqual([undefined, undefined]);
    expect(sides.reduce((sum, side) => sum + (side.found?.leftoversRemoved ?? 0), 0)).toBeGreaterThanOrEqual(3);
    expect(listing(folder)).toEqual(['app.db']);
  });

  it("are left alone if they are somebody's: other names, or other files inside", () => {
    const folder = folderWithFiles();
    make(folder, '.holdfast-probe-notes');
    const kept = `.holdfast-probe-peer1-cccccccccccc.with-${KILLED}`;
    make(folder, kept);
    for (const name of ['My thesis.txt', 'app.db', '.env', 'a']) fs.writeFileSync(path.join(folder, kept, name), 'x');
    const both = `.holdfast-probe-peer1-${KILLED}.beat-3`;
    make(folder, both);
    fs.writeFileSync(path.join(folder, both, 'notes.md'), 'x');
    const before = listing(folder);
    const clock = new Clock();
    const side = new Side(clock, folder, { timeout: 1000 });
    run(clock, [side]);
    expect(listing(folder)).toEqual(before);
    expect(side.found?.leftoversKept.sort()).toEqual([both, kept]);
    expect(side.found?.leftoversRemoved).toBe(0);
  });
});
