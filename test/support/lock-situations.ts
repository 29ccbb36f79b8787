// One connection holds a lock, another asks for something: the steps of each, and the trace of all that they were answered.

import type { Peer } from './peer.ts';

type Step = readonly [connection: string, sql: string];

const READ = 'SELECT count(*), sum(v) FROM t';
const WRITE = 'UPDATE t SET v = v + 1';

/** How the holder comes to its lock. `reader` is a second connection of the holder. */
export const HOLDINGS: Readonly<Record<string, readonly Step[]>> = {
  NONE: [],
  SHARED: [
    ['holder', 'BEGIN'],
    ['holder', READ],
  ],
  RESERVED: [
    ['holder', 'BEGIN IMMEDIATE'],
    ['holder', WRITE],
  ],
  // A commit that waits for a reader to leave keeps PENDING. In WAL mode it does not wait.
  PENDING: [
    ['reader', 'BEGIN'],
    ['reader', READ],
    ['holder', 'BEGIN IMMEDIATE'],
    ['holder', WRITE],
    ['holder', 'COMMIT'],
  ],
  EXCLUSIVE: [
    ['holder', 'BEGIN EXCLUSIVE'],
    ['holder', WRITE],
  ],
  // Holds the file alone from its first write on, in WAL mode too.
  'EXCLUSIVE for good': [
    ['holder', 'PRAGMA locking_mode=EXCLUSIVE'],
    ['holder', WRITE],
  ],
};

/** What the other one asks: what it does before the lock is taken, and what after. */
export const QUESTIONS: Readonly<Record<string, { before: readonly string[]; after: readonly string[] }>> = {
  read: { before: [], after: [READ] },
  'begin immediate': { before: [], after: ['BEGIN IMMEDIATE', WRITE, 'COMMIT'] },
  'begin exclusive': { before: [], after: ['BEGIN EXCLUSIVE', WRITE, 'COMMIT'] },
  'write in a deferred transaction': { before: [], after: ['BEGIN', WRITE, 'COMMIT'] },
  'write after reading': { before: ['BEGIN', READ], after: [READ, WRITE, 'COMMIT'] },
  commit: { before: ['BEGIN IMMEDIATE', WRITE], after: ['COMMIT', 'COMMIT'] },
  'commit exclusively': { before: ['BEGIN EXCLUSIVE', WRITE], after: ['COMMIT'] },
  'roll back': { before: ['BEGIN IMMEDIATE', WRITE], after: ['ROLLBACK'] },
  checkpoint: { before: [], after: ['PRAGMA wal_checkpoint(PASSIVE)', 'PRAGMA wal_checkpoint(TRUNCATE)'] },
  'leave the journal mode': { before: [], after: ['PRAGMA journal_mode=PERSIST'] },
  vacuum: { before: [], after: ['VACUUM'] },
};

/** How both end, so that what was refused in between shows in the data. */
const EPILOGUE: readonly Step[] = [
  ['reader', 'ROLLBACK'],
  ['holder', 'COMMIT'],
  ['holder', READ],
];

/** Plays one situation on a fresh database; the answer has a line for each step. */
export async function play(path: string, holder: Peer, asker: Peer, holding: string, question: string): Promise<string[]> {
  const trace: string[] = [];
  const step = async (peer: Peer, connection: string, sql: string) => {
    trace.push(`${connection}: ${sql} -> ${JSON.stringify(await peer.try(sql, connection))}`);
  };
  const { before, after } = QUESTIONS[question] as (typeof QUESTIONS)[string];
  for (const name of ['holder', 'reader']) await holder.open(path, {}, name);
  await asker.open(path, {}, 'asker');
  for (const sql of before) await step(asker, 'asker', sql);
  for (const [connection, sql] of HOLDINGS[holding] as readonly Step[]) await step(holder, connection, sql);
  for (const sql of after) await step(asker, 'asker', sql);
  for (const [connection, sql] of EPILOGUE) await step(holder, connection, sql);
  await step(asker, 'asker', READ);
  await asker.close('asker');
  for (const name of ['reader', 'holder']) await holder.close(name);
  return trace;
}
