// The error of a locked database names who holds the lock: native SQLite, one of ours, this very process.

import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import type { Database } from '../../../core/database/database.ts';
import type { OpenOptions } from '../../../core/database/options.ts';
import { DatabaseLockedError, deserializeError, serializeError } from '../../../core/error.ts';
import { shortCommand } from '../../../vfs/holders/describe.ts';
import { failure } from '../../support/failure.ts';
import { nativePeer, oursPeer, type Peer, workerPeer } from '../../support/peer.ts';
import { separateEngine } from '../../support/runtimes.ts';
import { tempPath } from '../../support/temp-folder.ts';
import { demand, findPython } from '../../support/tools.ts';

const PEERS = {
  'native SQLite': (context: TestContext) => nativePeer(demand(context, findPython())),
  'one of ours': () => oursPeer(),
};
type PeerName = keyof typeof PEERS;
const NAMES = Object.keys(PEERS) as PeerName[];
const PROGRAM: Record<PeerName, string> = { 'native SQLite': 'native-peer.py', 'one of ours': 'ours-peer.mjs' };

async function holding(peer: Peer, file: string, mode: string, script: string): Promise<void> {
  await peer.open(file, { timeout: 0 });
  await peer.script(`PRAGMA journal_mode=${mode}; CREATE TABLE t (x); ${script}`);
}

/** On an engine of its own: what an error may cost is counted for each, and every test here wants its own full answer. */
async function opened(file: string, options: OpenOptions = {}): Promise<Database> {
  const { openSync } = await separateEngine();
  const db = openSync(file, { timeout: 0, journal: 'keep', ...options });
  onTestFinished(() => void db.close());
  return db;
}

async function locked(file: string, sql: string): Promise<DatabaseLockedError> {
  const db = await opened(file);
  const error = failure(() => db.exec(sql));
  expect(error).toBeInstanceOf(DatabaseLockedError);
  return error as DatabaseLockedError;
}

describe.each(NAMES)('%s', (name) => {
  it.for<readonly [mode: string, script: string, wanted: string, held: string]>([
    ['delete', 'BEGIN IMMEDIATE', 'RESERVED', 'RESERVED'],
    ['wal', 'BEGIN IMMEDIATE', 'WAL-write', 'WAL-write'],
    // Whoever wants to read meets the PENDING lock first, and the error says what it is part of.
    ['delete', 'BEGIN EXCLUSIVE', 'PENDING', 'EXCLUSIVE'],
  ])('in %s mode after %s is named with pid, command and lock', async ([mode, script, wanted, held], context) => {
    const file = tempPath();
    const peer = PEERS[name](context);
    await holding(peer, file, mode, script);
    const error = await locked(file, script === 'BEGIN EXCLUSIVE' ? 'SELECT * FROM t' : 'BEGIN IMMEDIATE');
    expect(error.message).toMatch(
      new RegExp(`the ${wanted} lock was not free: process ${peer.pid} \\(.*, since .*\\) holds ${held};`),
    );
    expect(error.message).toContain(shortCommand(error.holders[0]?.command ?? 'nobody'));
    expect(error.message).not.toContain('\n');
    expect(error).toMatchObject({ lock: wanted, holderPid: peer.pid, path: file });
    expect(error.holders[0]).toMatchObject({ pid: peer.pid, command: expect.stringContaining(PROGRAM[name]) });
    expect(error.holders[0]?.locks).toContainEqual({
      lock: held,
      kind: 'write',
      owner: name === 'one of ours' ? 'OFD' : 'POSIX',
    });
  });

  it('reading keeps a writer from EXCLUSIVE, and is named', async (context) => {
    const file = tempPath();
    const peer = PEERS[name](context);
    await holding(peer, file, 'delete', 'BEGIN; SELECT * FROM t');
    const error = await locked(file, 'BEGIN IMMEDIATE; INSERT INTO t VALUES (1); COMMIT');
    expect(error.message).toMatch(new RegExp(`the EXCLUSIVE lock was not free: process ${peer.pid} \\(.*\\) holds SHARED;`));
    expect(error.holderPid).toBe(peer.pid);
  });
});

it('another connection in this process is called that', async () => {
  const file = tempPath();
  const db = await opened(file, { journal: 'delete' });
  db.exec('CREATE TABLE t (x); BEGIN IMMEDIATE');
  const error = await locked(file, 'BEGIN IMMEDIATE');
  expect(error.message).toContain(`another connection in this process (${process.pid}) holds RESERVED`);
  expect(error.holders).toMatchObject([{ pid: process.pid }]);
});

it('so is one in a worker', async () => {
  const file = tempPath();
  const peer = await workerPeer();
  await holding(peer, file, 'wal', 'BEGIN IMMEDIATE');
  expect((await locked(file, 'BEGIN IMMEDIATE')).message).toContain(
    `another connection in this process (${process.pid}) holds WAL-write`,
  );
});

it('a reader of ours is not blamed for its own lock when another process is in its way', async () => {
  const file = tempPath();
  const peer = oursPeer();
  await holding(peer, file, 'delete', 'BEGIN; SELECT * FROM t');
  const db = await opened(file);
  db.exec('BEGIN; SELECT * FROM t; INSERT INTO t VALUES (1)');
  const error = failure(() => db.exec('COMMIT')) as DatabaseLockedError;
  expect(error.holderPid).toBe(peer.pid);
  expect(error.message).not.toContain('this process');
});

it('a lost snapshot is nobody’s fault', async () => {
  const file = tempPath();
  const db = await opened(file, { journal: 'wal' });
  db.exec('CREATE TABLE t (x); BEGIN; SELECT * FROM t');
  (await opened(file)).exec('INSERT INTO t VALUES (1)');
  expect(failure(() => db.exec('INSERT INTO t VALUES (2)'))).toMatchObject({ code: 'SQLITE_BUSY_SNAPSHOT', holders: [] });
});

it('the error keeps its holders on the way between threads', async (context) => {
  const file = tempPath();
  const peer = PEERS['native SQLite'](context);
  await holding(peer, file, 'wal', 'BEGIN IMMEDIATE');
  const error = await locked(file, 'BEGIN IMMEDIATE');
  const arrived = deserializeError(structuredClone(serializeError(error))) as DatabaseLockedError;
  expect(arrived).toBeInstanceOf(DatabaseLockedError);
  expect(arrived.holders).toEqual(error.holders);
  expect(arrived.holders[0]?.pid).toBe(peer.pid);
});
