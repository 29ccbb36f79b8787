// Dot-file locks, asked for with `locking: 'dotfile'`, against SQLite's own unix-dotfile VFS.

import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { expectExactCount, makeCounter, nativeIncrementing, oursIncrementing, race } from '../support/increment.ts';
import { locksOn } from '../support/kernel-view.ts';
import { localPeer, nativePeer } from '../support/peer.ts';
import { currentRuntime, openSync, presentRuntimes } from '../support/runtimes.ts';
import { sidecarsOf, tempPath } from '../support/temp-folder.ts';
import { demand, findPython } from '../support/tools.ts';

const DOTFILE = { locking: 'dotfile' } as const;
const uri = (path: string) => `file:${path}?vfs=unix-dotfile`;

describe('dot-file locks', () => {
  it('exclude native unix-dotfile connections, and are excluded by them', async (context) => {
    const python = demand(context, findPython());
    const path = tempPath();
    const [ours, native] = [localPeer(), nativePeer(python)];
    await ours.open(path, DOTFILE);
    await ours.script('CREATE TABLE t (x)');
    await native.open(uri(path));
    for (const [holder, asker] of [
      [ours, native],
      [native, ours],
    ] as const) {
      // One folder stands for every lock level, so that a reader keeps even readers out.
      for (const begin of ['BEGIN; SELECT * FROM t', 'BEGIN IMMEDIATE', 'BEGIN EXCLUSIVE; INSERT INTO t VALUES (1)']) {
        await holder.script(begin);
        expect(fs.statSync(`${path}.lock`).isDirectory()).toBe(true);
        expect(await asker.try('SELECT count(*) FROM t')).toBe('SQLITE_BUSY');
        expect(await asker.try('INSERT INTO t VALUES (2)')).toBe('SQLITE_BUSY');
        await holder.script('ROLLBACK');
        expect(fs.existsSync(`${path}.lock`)).toBe(false);
        expect(await asker.rows('SELECT count(*) FROM t')).toEqual([[0]]);
      }
    }
    expect(locksOn(path)).toEqual([]);
    await ours.close();
    await native.close();
    expect(sidecarsOf(path)).toEqual([]);
  });

  it('two native processes and two of ours increment one counter', async (context) => {
    const python = demand(context, findPython());
    const path = tempPath();
    makeCounter(path, DOTFILE);
    const second = presentRuntimes().at(-1) ?? currentRuntime;
    const committed = await race([
      nativeIncrementing(python, uri(path), 'a', 50),
      nativeIncrementing(python, uri(path), 'b', 50),
      oursIncrementing(currentRuntime, path, DOTFILE, 'c', 50),
      oursIncrementing(second, path, DOTFILE, 'd', 50),
    ]);
    expect(committed).toEqual([50, 50, 50, 50]);
    await expectExactCount(python, path, committed, DOTFILE);
    expect(fs.existsSync(`${path}.lock`)).toBe(false);
  });

  it('two handles of one process exclude each other', async () => {
    const path = tempPath();
    const [a, b] = [localPeer(), localPeer()];
    await a.open(path, DOTFILE);
    await a.script('CREATE TABLE t (x); BEGIN IMMEDIATE');
    await b.open(path, DOTFILE);
    expect(await b.try('SELECT * FROM t')).toBe('SQLITE_BUSY');
    // Closing the one that holds nothing must not free the other's lock.
    await b.close();
    expect(fs.existsSync(`${path}.lock`)).toBe(true);
    await a.script('INSERT INTO t VALUES (1); COMMIT');
    expect(fs.existsSync(`${path}.lock`)).toBe(false);
  });

  it('a folder that a killed process left behind is named, and obeyed until it is removed', async () => {
    const path = tempPath();
    const db = openSync(path, { ...DOTFILE, timeout: 0 });
    db.exec('CREATE TABLE t (x)');
    fs.mkdirSync(`${path}.lock`);
    const busy = expect.objectContaining({
      name: 'DatabaseLockedError',
      code: 'SQLITE_BUSY',
      message: expect.stringContaining(`${path}.lock`),
    });
    expect(() => db.exec('INSERT INTO t VALUES (1)')).toThrow(busy);
    expect(() => db.prepare('SELECT * FROM t').all()).toThrow(/remove it/);
    fs.rmdirSync(`${path}.lock`);
    db.exec('INSERT INTO t VALUES (1)');
    db.close();
  });

  it.each(['-wal', '-shm'])('are refused where a %s shows that users of kernel locks may be there', (suffix) => {
    const path = tempPath();
    openSync(path).exec('CREATE TABLE t (x)').close();
    fs.writeFileSync(path + suffix, '');
    const refused = expect.objectContaining({ path: path + suffix, message: expect.stringContaining('WAL') });
    expect(() => openSync(path, DOTFILE)).toThrow(refused);
    expect(fs.existsSync(`${path}.lock`)).toBe(false);
    fs.rmSync(path + suffix);
    openSync(path, DOTFILE).close();
  });

  it('never enter WAL mode', () => {
    const path = tempPath();
    expect(() => openSync(path, { ...DOTFILE, journal: 'wal' })).toThrow(/cannot share memory|WAL/);
    const db = openSync(path, DOTFILE);
    expect(db.pragma('journal_mode=wal', { simple: true })).toBe('delete');
    expect(db.info.rung).toBe('dotfile');
    db.close();
  });
});
