// Two handles of ours in one process exclude each other like two processes, and closing one never hurts the other:
// in one thread on one engine, in one thread on two engines, and in two threads.

import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { holds, locksOn, SHM_DEAD_MAN_BYTE } from '../support/kernel-view.ts';
import { localPeer, nativePeer, type Peer, workerPeer } from '../support/peer.ts';
import { separateEngine } from '../support/runtimes.ts';
import { sidecarsOf, tempPath } from '../support/temp-folder.ts';
import { demand, findPython } from '../support/tools.ts';

const PAIRS: Record<string, () => Promise<[Peer, Peer]>> = {
  'one thread, one engine': async () => [localPeer(), localPeer()],
  'one thread, two engines': async () => [localPeer(), localPeer((await separateEngine()).openSync)],
  'this thread and a worker': async () => [localPeer(), await workerPeer()],
  'two workers': async () => [await workerPeer(), await workerPeer()],
};

const READ = 'SELECT x FROM t ORDER BY x';

async function openPair(pair: string, journal: 'wal' | 'delete'): Promise<[path: string, a: Peer, b: Peer]> {
  const path = tempPath();
  const [a, b] = await (PAIRS[pair] as () => Promise<[Peer, Peer]>)();
  await a.open(path, { journal });
  await a.script('CREATE TABLE t (x)');
  await b.open(path);
  return [path, a, b];
}

describe.each(Object.keys(PAIRS))('%s', (pair) => {
  it('writers exclude each other, in either order', async () => {
    for (const journal of ['wal', 'delete'] as const) {
      const [, a, b] = await openPair(pair, journal);
      for (const [holder, asker] of [
        [a, b],
        [b, a],
      ] as const) {
        await holder.script('BEGIN IMMEDIATE; INSERT INTO t VALUES (1)');
        expect(await asker.try('BEGIN IMMEDIATE')).toBe('SQLITE_BUSY');
        expect(await asker.try('INSERT INTO t VALUES (2)')).toBe('SQLITE_BUSY');
        expect(await asker.rows(READ)).toEqual([]);
        await holder.script('ROLLBACK');
        expect(await asker.try('BEGIN IMMEDIATE')).toEqual([]);
        await asker.script('ROLLBACK');
      }
    }
  });

  it('in rollback mode a reader holds up a commit, and an exclusive writer keeps readers out', async () => {
    const [, a, b] = await openPair(pair, 'delete');
    await a.script(`BEGIN; ${READ}`);
    await b.script('BEGIN IMMEDIATE; INSERT INTO t VALUES (1)');
    expect(await b.try('COMMIT')).toBe('SQLITE_BUSY');
    await a.script('COMMIT');
    // The waiting commit holds PENDING, which no new reader passes.
    expect(await a.try(READ)).toBe('SQLITE_BUSY');
    expect(await b.try('COMMIT')).toEqual([]);
    expect(await a.rows(READ)).toEqual([[1]]);
    await a.script('BEGIN EXCLUSIVE');
    expect(await b.try(READ)).toBe('SQLITE_BUSY');
    await a.script('ROLLBACK');
  });

  it('in WAL mode each sees what the other committed, and a reader keeps its snapshot', async () => {
    const [, a, b] = await openPair(pair, 'wal');
    await a.script(`BEGIN; ${READ}`);
    await b.script('INSERT INTO t VALUES (1)');
    expect(await a.rows(READ)).toEqual([]);
    expect(await a.try('INSERT INTO t VALUES (2)')).toBe('SQLITE_BUSY_SNAPSHOT');
    await a.script('COMMIT; INSERT INTO t VALUES (2)');
    expect(await b.rows(READ)).toEqual([[1], [2]]);
  });

  it('closing one leaves the locks, the transaction and the wal-index of the other alone', async (context) => {
    const python = demand(context, findPython());
    for (const journal of ['wal', 'delete'] as const) {
      for (const closing of ['a', 'b']) {
        const [path, a, b] = await openPair(pair, journal);
        const [stays, goes] = closing === 'a' ? [b, a] : [a, b];
        const native = nativePeer(python);
        await goes.rows(READ);
        await stays.script('BEGIN IMMEDIATE; INSERT INTO t VALUES (1)');
        const sidecars = sidecarsOf(path);
        const main = fs.statSync(path).ino;
        await goes.close();
        expect(sidecarsOf(path)).toEqual(sidecars);
        expect(fs.statSync(path).ino).toBe(main);
        if (journal === 'wal') expect(holds(locksOn(`${path}-shm`), 'READ', SHM_DEAD_MAN_BYTE)).toBe(true);
        await native.open(path);
        expect(await native.try('INSERT INTO t VALUES (2)')).toBe('SQLITE_BUSY');
        await stays.script('COMMIT; INSERT INTO t VALUES (3)');
        expect(await native.try('INSERT INTO t VALUES (2)')).toEqual([]);
        expect(await native.rows(READ)).toEqual([[1], [2], [3]]);
        expect(await stays.rows(READ)).toEqual([[1], [2], [3]]);
        await native.close();
        await stays.close();
        expect(sidecarsOf(path)).toEqual([]);
      }
    }
  });
});
