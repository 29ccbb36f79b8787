// A database that somebody was writing to when he was killed.

import fs from 'node:fs';
import { expect } from 'vitest';
import { startChild } from './child.ts';
import { bundleUrl, openSync, type RuntimeCommand } from './runtimes.ts';
import { supportFile } from './support-file.ts';

export type Crash = 'hot-journal' | 'abandoned-wal';
export type Maker = { native: string } | { ours: RuntimeCommand };

const ROWS = 2000;
/** How many rows there are and their sum; what every recovery must find. */
export const FACTS = 'SELECT count(*), sum(v) FROM t';
export const EXPECTED: Record<Crash, [rows: number, sum: number]> = {
  'hot-journal': [ROWS, ROWS],
  // Twenty updates were committed.
  'abandoned-wal': [ROWS, ROWS * 21],
};

/** Makes it, and makes sure that there is something to recover from. */
export async function crashDatabase(path: string, crash: Crash, maker: Maker): Promise<void> {
  const db = openSync(path, { journal: crash === 'hot-journal' ? 'delete' : 'wal' });
  db.exec(`CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER, body);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
    INSERT INTO t SELECT i, 1, hex(randomblob(50)) FROM n`);
  db.close();
  const before = fs.readFileSync(path);
  const command =
    'native' in maker
      ? [maker.native, supportFile('crash-maker.py'), path, crash]
      : [...maker.ours.command, supportFile('crash-maker.mjs'), bundleUrl(maker.ours.name), path, crash];
  const child = startChild(command);
  expect(await child.ended, child.complaints()).toBe('SIGKILL');
  const untouched = before.equals(fs.readFileSync(path));
  if (crash === 'hot-journal') {
    // Uncommitted rows are in the database file, and only the journal can take them out again.
    expect(untouched).toBe(false);
    expect(fs.statSync(`${path}-journal`).size).toBeGreaterThan(10_000);
  } else {
    // Committed rows are in the WAL only.
    expect(untouched).toBe(true);
    expect(fs.statSync(`${path}-wal`).size).toBeGreaterThan(100_000);
  }
}

/** A copy of the database with its sidecars, so that one crash can be recovered from several times. */
export function copyCrash(from: string, to: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm'])
    if (fs.existsSync(from + suffix)) fs.copyFileSync(from + suffix, to + suffix);
}
