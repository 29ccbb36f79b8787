// Who may do what while somebody holds which lock: ours answers native SQLite, and native answers ours, exactly as two
// native connections answer each other. Nothing waits here: every timeout is 0.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOLDINGS, play, QUESTIONS } from '../support/lock-situations.ts';
import { nativePeer, oursPeer, type Peer } from '../support/peer.ts';
import { openSync } from '../support/runtimes.ts';
import { sidecarsOf, tempFolder } from '../support/temp-folder.ts';
import { demand, findPython } from '../support/tools.ts';

type Journal = 'delete' | 'wal';

/** The traces of all situations with this holder and this asker, by name of the situation. */
async function playAll(folder: string, journal: Journal, holder: Peer, asker: Peer): Promise<Record<string, string[]>> {
  const template = path.join(folder, `template-${journal}.db`);
  if (!fs.existsSync(template)) {
    const db = openSync(template, { journal });
    db.exec('CREATE TABLE t (v INTEGER); INSERT INTO t VALUES (1), (10), (100)');
    db.close();
  }
  const traces: Record<string, string[]> = {};
  for (const holding of Object.keys(HOLDINGS)) {
    for (const question of Object.keys(QUESTIONS)) {
      const database = path.join(folder, 'live.db');
      fs.copyFileSync(template, database);
      traces[`${holding} held, ${question}`] = await play(database, holder, asker, holding, question);
      const left = sidecarsOf(database);
      traces[`${holding} held, ${question}`]?.push(`left: ${left}`);
      for (const sidecar of left) fs.rmSync(database + sidecar);
    }
  }
  return traces;
}

describe.each<Journal>(['delete', 'wal'])('locks in %s mode', (journal) => {
  it('refuse and allow what they do between two native connections', async (context) => {
    const python = demand(context, findPython());
    const folder = tempFolder();
    const [native, otherNative] = [nativePeer(python), nativePeer(python)];
    const [ours, otherOurs] = [oursPeer(), oursPeer()];
    const oracle = await playAll(folder, journal, native, otherNative);

    // The oracle itself: were it deaf, everything below would agree with it.
    const answers = Object.values(oracle).flat();
    expect(answers.filter((line) => line.includes('"SQLITE_BUSY"')).length).toBeGreaterThan(20);
    expect(oracle['RESERVED held, begin immediate']).toContain('asker: BEGIN IMMEDIATE -> "SQLITE_BUSY"');
    expect(oracle['RESERVED held, read']).toContain('asker: SELECT count(*), sum(v) FROM t -> [[3,111]]');
    const whenPending = journal === 'wal' ? '[[3,114]]' : '"SQLITE_BUSY"';
    expect(oracle['PENDING held, read']).toContain(`asker: SELECT count(*), sum(v) FROM t -> ${whenPending}`);

    expect(await playAll(folder, journal, native, ours), 'native holds, ours asks').toEqual(oracle);
    expect(await playAll(folder, journal, ours, native), 'ours holds, native asks').toEqual(oracle);
    expect(await playAll(folder, journal, ours, otherOurs), 'ours holds, ours asks').toEqual(oracle);
  });
});
