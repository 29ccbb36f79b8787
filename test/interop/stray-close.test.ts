// A database file opened and closed by other code in our process: POSIX locks die of it, ours must not.

import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { holds, locksOn, RESERVED_BYTE, SHARED_FIRST, SHM_DEAD_MAN_BYTE, SHM_WRITE_BYTE } from '../support/kernel-view.ts';
import { localPeer, nativePeer } from '../support/peer.ts';
import { tempPath } from '../support/temp-folder.ts';
import { demand, findPython } from '../support/tools.ts';

/** Which file carries the write lock, and on which byte. */
const WRITE_LOCK = {
  delete: ['', RESERVED_BYTE],
  wal: ['-shm', SHM_WRITE_BYTE],
} as const;

describe.each(['delete', 'wal'] as const)('in %s mode', (journal) => {
  const [suffix, byte] = WRITE_LOCK[journal];

  it('a stray open and close in our process leaves our locks alone', async (context) => {
    const python = demand(context, findPython());
    const path = tempPath();
    const [ours, native] = [localPeer(), nativePeer(python)];
    await ours.open(path, { journal });
    await ours.script('CREATE TABLE t (x); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)');
    await native.open(path);
    const before = locksOn(path + suffix).filter((lock) => lock.kind === 'OFDLCK');

    for (const sidecar of ['', suffix]) {
      fs.readFileSync(path + sidecar);
      fs.closeSync(fs.openSync(path + sidecar, 'r+'));
    }

    const after = locksOn(path + suffix).filter((lock) => lock.kind === 'OFDLCK');
    expect(after).toEqual(before);
    expect(holds(after, 'WRITE', byte)).toBe(true);
    expect(holds(locksOn(path), 'READ', SHARED_FIRST)).toBe(true);
    if (journal === 'wal') expect(holds(after, 'READ', SHM_DEAD_MAN_BYTE)).toBe(true);
    expect(await native.try('INSERT INTO t VALUES (2)')).toBe('SQLITE_BUSY');

    await ours.script('COMMIT');
    expect(await native.try('INSERT INTO t VALUES (2)')).toEqual([]);
    expect(await ours.rows('SELECT x FROM t ORDER BY x')).toEqual([[1], [2]]);
  });

  it('native SQLite does lose its locks that way, so that the test above can fail', async (context) => {
    const python = demand(context, findPython());
    const path = tempPath();
    const native = nativePeer(python);
    await native.open(path);
    await native.script(`PRAGMA journal_mode=${journal}; CREATE TABLE t (x); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)`);
    expect(holds(locksOn(path + suffix), 'WRITE', byte)).toBe(true);
    await native.ask({ op: 'rawRead', path: path + suffix });
    expect(locksOn(path + suffix)).toEqual([]);
  });

  it('a native writer with patience waits for ours to finish', async (context) => {
    const python = demand(context, findPython());
    const path = tempPath();
    const [ours, native] = [localPeer(), nativePeer(python)];
    await ours.open(path, { journal });
    await ours.script('CREATE TABLE t (x); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)');
    await native.open(path, { timeout: 60_000 });
    let answered = false;
    const waiting = native.try('INSERT INTO t SELECT max(x) + 1 FROM t').then((answer) => {
      answered = true;
      return answer;
    });
    fs.readFileSync(path);
    // Long enough for a writer whom nothing stops to have answered.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(answered).toBe(false);
    await ours.script('COMMIT');
    expect(await waiting).toEqual([]);
    expect(await ours.rows('SELECT x FROM t')).toEqual([[1], [2]]);
  });
});
