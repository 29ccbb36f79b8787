// A disk that fills up: SQLITE_FULL, an error that names file and cause, and a database as it was before.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../core/database/database.ts';
import type { HoldfastError } from '../../core/error.ts';
import { nativePeer } from '../support/peer.ts';
import { openSync } from '../support/runtimes.ts';
import { smallDisk } from '../support/small-disk.ts';
import { demand, findPython } from '../support/tools.ts';

const MEGABYTE = 1 << 20;

/** Commits rows until that fails; answers how many went in, and the error. */
function fill(db: Database): { committed: number; error: HoldfastError } {
  const insert = db.prepare('INSERT INTO t VALUES (?, ?, randomblob(20000))');
  const write = db.transaction((id: number) => {
    for (let part = 0; part < 3; part++) insert.run(id, part);
  });
  for (let committed = 0; ; committed++) {
    try {
      write.immediate(committed);
    } catch (error) {
      return { committed, error: error as HoldfastError };
    }
  }
}

describe.each(['delete', 'wal'] as const)('on a full disk in %s mode', (journal) => {
  it('a write fails with SQLITE_FULL, and what was committed stays', async (context) => {
    const python = demand(context, findPython());
    const folder = demand(context, smallDisk(2 * MEGABYTE));
    const file = path.join(folder, 'full.db');
    const db = openSync(file, { journal });
    db.exec('CREATE TABLE t (id, part, body)');
    const { committed, error } = fill(db);
    expect(error).toMatchObject({ name: 'StorageError', code: 'SQLITE_FULL', errno: 'ENOSPC' });
    expect(error.path?.startsWith(file)).toBe(true);
    expect(error.message).toContain('ENOSPC');
    expect(error.mount?.fsType).toBe('tmpfs');
    expect(committed).toBeGreaterThan(2);
    expect(db.inTransaction).toBe(false);

    // Reading goes on, through this handle and through another engine.
    const facts = 'SELECT count(*), count(DISTINCT id) FROM t';
    expect(db.prepare(facts).raw().get()).toEqual([3 * committed, committed]);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    const native = nativePeer(python);
    await native.open(file);
    expect(await native.rows(facts)).toEqual([[3 * committed, committed]]);
    await native.close();
    db.close();
    const again = openSync(file);
    expect(again.prepare(facts).raw().get()).toEqual([3 * committed, committed]);
    expect(again.pragma('integrity_check', { simple: true })).toBe('ok');
    again.close();
  });

  it('writing works again once there is room', (context) => {
    const folder = demand(context, smallDisk(2 * MEGABYTE));
    const ballast = path.join(folder, 'ballast');
    fs.writeFileSync(ballast, Buffer.alloc(MEGABYTE));
    const db = openSync(path.join(folder, 'full.db'), { journal });
    db.exec('CREATE TABLE t (id, part, body)');
    const { committed, error } = fill(db);
    expect(error.code).toBe('SQLITE_FULL');
    fs.rmSync(ballast);
    db.exec("INSERT INTO t VALUES ('more', 0, randomblob(50000))");
    expect(db.prepare('SELECT count(*) FROM t').pluck().get()).toBe(3 * committed + 1);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    db.close();
  });

  it('a database cannot be begun where there is no room at all', (context) => {
    const folder = demand(context, smallDisk(64 * 1024));
    try {
      fs.writeFileSync(path.join(folder, 'ballast'), Buffer.alloc(MEGABYTE));
    } catch {
      // As full as it gets.
    }
    const create = () => openSync(path.join(folder, 'new.db'), { journal }).exec('CREATE TABLE t (x)');
    // A wal-index that cannot be made is an I/O error in SQLite's terms; its errno says what it is.
    expect(create).toThrow(expect.objectContaining({ name: 'StorageError', errno: 'ENOSPC' }));
  });
});
