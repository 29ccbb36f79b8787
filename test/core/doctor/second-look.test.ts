// The second look: a database that seemed to be nobody's is in use after all, changes under us, or is really at rest.

import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { NO_CONFIG } from '../../../core/doctor/config.ts';
import { diagnose } from '../../../core/doctor/diagnose.ts';
import { examine, type Facts, isHeld } from '../../../core/doctor/examine.ts';
import type { Line } from '../../../core/doctor/line.ts';
import { secondLook } from '../../../core/doctor/second-look.ts';
import type { HolderReport } from '../../../vfs/holders/holder.ts';
import { copyCrash, crashDatabase } from '../../support/crashed-database.ts';
import { nativePeer } from '../../support/peer.ts';
import { currentRuntime, openSync } from '../../support/runtimes.ts';
import { tempPath } from '../../support/temp-folder.ts';
import { demand, findPython } from '../../support/tools.ts';
import { host } from './looking.ts';

/** What a scan says that was made before the users came. */
const NOBODY: HolderReport = { holders: [], unattributed: [], uninspected: 0, limits: [] };

function factsOf(file: string): Facts {
  return examine(host, { label: 'test.db', path: file, config: NO_CONFIG, private: false }, NOBODY);
}

function judged(facts: Facts): Line[] {
  const opening = isHeld(facts.holders) ? undefined : ({ state: 'opens', tables: 1, sessions: undefined } as const);
  return diagnose(facts, { now: host.now(), engines: [], opening });
}

const alarms = (lines: readonly Line[]) => lines.filter(({ weight }) => weight !== 'info').map(({ code }) => code);

/** The first look with the old scan, and what the second makes of it. `meanwhile` happens during the second. */
async function twice(file: string, meanwhile = () => {}) {
  const facts = factsOf(file);
  const first = { facts, lines: judged(facts) };
  const { lines, facts: after } = await secondLook(host, first, async (each) => {
    const told = judged(each);
    meanwhile();
    return told;
  });
  return { first: alarms(first.lines), second: alarms(lines), lines, held: isHeld(after.holders) };
}

describe('a database that is in use after all', () => {
  it.for(['truncate', 'delete', 'persist'])('by a native writer in journal mode %s has no hot journal', async (mode, context) => {
    const file = tempPath();
    const native = nativePeer(demand(context, findPython()));
    await native.open(file);
    await native.script(`PRAGMA journal_mode=${mode}; PRAGMA cache_size=1; PRAGMA cache_spill=1; CREATE TABLE t (body)`);
    await native.script('BEGIN IMMEDIATE');
    await native.script(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      INSERT INTO t SELECT hex(randomblob(400)) FROM n`);
    const { first, second, held } = await twice(file);
    expect(first).toContain('hot-journal');
    expect([held, second]).toEqual([true, []]);
    await native.script('ROLLBACK');
  });

  it('is not said to have a length that disagrees while a journal waits', async () => {
    const file = tempPath();
    await crashDatabase(file, 'hot-journal', { ours: currentRuntime });
    expect(factsOf(file)).toMatchObject({ hotJournal: true, header: { header: { sizesAgree: false } } });
    expect(alarms(judged(factsOf(file)))).toEqual(['hot-journal']);
    fs.rmSync(`${file}-journal`);
    expect(alarms(judged(factsOf(file)))).toEqual(['length-disagrees']);
  });
});

it('what changes while we look is in use, by whomever', async () => {
  const file = tempPath();
  await crashDatabase(file, 'hot-journal', { ours: currentRuntime });
  const { first, second, lines, held } = await twice(file, () => fs.truncateSync(`${file}-journal`));
  expect([first, second, held]).toEqual([['hot-journal'], [], false]);
  expect(lines.find(({ code }) => code === 'hot-journal')?.text).toMatch(/in use right now/);
});

describe('a database that is really at rest', () => {
  it('keeps its hot journal', async () => {
    const file = tempPath();
    await crashDatabase(file, 'hot-journal', { ours: currentRuntime });
    expect(await twice(file)).toMatchObject({ first: ['hot-journal'], second: ['hot-journal'] });
  });

  it('keeps its orphaned and foreign logs, even while somebody idle has it open', async (context) => {
    const file = tempPath();
    await crashDatabase(file, 'abandoned-wal', { ours: currentRuntime });
    const restored = tempPath();
    openSync(restored, { journal: 'delete' }).exec('CREATE TABLE t (x)').close();
    const native = nativePeer(demand(context, findPython()));
    await native.open(restored);
    await native.rows('SELECT * FROM t');
    // The peer's statement is over, so it has the file open and no lock.
    fs.copyFileSync(`${file}-wal`, `${restored}-wal`);
    expect(await twice(restored)).toMatchObject({ held: true, second: ['wal-beside-rollback'] });
    const lost = tempPath();
    copyCrash(file, lost);
    fs.truncateSync(lost);
    expect((await twice(lost)).second).toContain('orphan-wal');
  });
});
