// The memory of WebAssembly grows while the wal-index is mapped into it: the mapping must stay, and stay shared.

import { describe, expect, it } from 'vitest';
import { localPeer, nativePeer, oursPeer, type Peer } from '../support/peer.ts';
import { presentRuntimes, separateEngine } from '../support/runtimes.ts';
import { tempPath } from '../support/temp-folder.ts';
import { demand, findPython } from '../support/tools.ts';

const MEGABYTE = 1 << 20;
const BLOBS = 200;
const BLOBS_PER_TURN = 20;

/** Inserts 200 MB through ours, while native reads and writes in turns; each sees what the other did at every turn. */
async function growTogether(path: string, ours: Peer, native: Peer): Promise<void> {
  await ours.open(path, { journal: 'wal' });
  // Pages stay in memory, which has to grow for them.
  await ours.script(`PRAGMA cache_size=-${(2 * BLOBS * MEGABYTE) / 1024}; PRAGMA synchronous=OFF; CREATE TABLE t (who, body)`);
  await native.open(path);
  for (let blobs = BLOBS_PER_TURN; blobs <= BLOBS; blobs += BLOBS_PER_TURN) {
    const turn = blobs / BLOBS_PER_TURN;
    await ours.script(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${BLOBS_PER_TURN})
       INSERT INTO t SELECT 'ours', randomblob(${MEGABYTE}) FROM n`,
    );
    const counts = "SELECT count(*) FILTER (WHERE who = 'ours'), count(*) FILTER (WHERE who = 'native') FROM t";
    expect(await native.rows(counts)).toEqual([[blobs, turn - 1]]);
    // A lock in the wal-index holds in both directions after growth, too.
    await ours.script('BEGIN IMMEDIATE');
    expect(await native.try("INSERT INTO t VALUES ('native', 'refused')")).toBe('SQLITE_BUSY');
    await ours.script('COMMIT');
    await native.script("BEGIN IMMEDIATE; INSERT INTO t VALUES ('native', 'x')");
    expect(await ours.try('BEGIN IMMEDIATE')).toBe('SQLITE_BUSY');
    await native.script('COMMIT');
    expect(await ours.rows(counts)).toEqual([[blobs, turn]]);
  }
  const serialized = await ours.ask({ op: 'serialize', name: 'db' });
  expect(serialized.rows).toBeGreaterThan(BLOBS * MEGABYTE);
  await native.script("INSERT INTO t VALUES ('native', 'last')");
  expect(await ours.rows("SELECT count(*) FROM t WHERE body = 'last'")).toEqual([[1]]);
  await ours.script("UPDATE t SET who = 'both' WHERE body = 'last'");
  expect(await native.rows("SELECT who FROM t WHERE body = 'last'")).toEqual([['both']]);
}

describe('the wal-index stays shared while memory grows', () => {
  it('in this runtime, with the memory in sight', async (context) => {
    const python = demand(context, findPython());
    const { runtime, openSync } = await separateEngine();
    const ours = localPeer(openSync);
    const before = runtime.engine.memory.u8.length;
    await growTogether(tempPath(), ours, nativePeer(python));
    const after = runtime.engine.memory.u8.length;
    // Where the runtime would move a growing memory, it is made at its full size from the start, and only used more.
    if (before < BLOBS * MEGABYTE) expect(after).toBeGreaterThan(before + BLOBS * MEGABYTE);
    else expect(after).toBe(before);
  });

  for (const runtime of presentRuntimes()) {
    it(`in a process of ${runtime.name}`, async (context) => {
      const python = demand(context, findPython());
      const path = tempPath();
      const [ours, native] = [oursPeer(runtime), nativePeer(python)];
      const before = (await ours.ask({ op: 'residentBytes' })).rows;
      await growTogether(path, ours, native);
      expect((await ours.ask({ op: 'residentBytes' })).rows).toBeGreaterThan(before + BLOBS * MEGABYTE);
      await native.close();
      expect(await ours.rows('PRAGMA quick_check')).toEqual([['ok']]);
    });
  }
});
