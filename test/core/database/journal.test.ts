// The journal policy as an open carries it out: when a new database enters WAL, what is left alone, and what is refused.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { LockingError, StorageError } from '../../../core/error.ts';
import type { Finding } from '../../../vfs/finding.ts';
import { crashDatabase } from '../../support/crashed-database.ts';
import { failure } from '../../support/failure.ts';
import { nativePeer, oursPeer } from '../../support/peer.ts';
import { currentRuntime, openSync } from '../../support/runtimes.ts';
import { sidecarsOf, tempFolder, tempPath } from '../../support/temp-folder.ts';
import { demand, findPython } from '../../support/tools.ts';

/** Bytes 18 and 19: 1/1 is a rollback journal, 2/2 is WAL. */
function versions(file: string): number[] {
  return [...fs.readFileSync(file).subarray(18, 20)];
}

function collect() {
  const findings: Finding[] = [];
  return { findings, onFinding: (finding: Finding) => findings.push(finding) };
}

type Db = ReturnType<typeof openSync>;

describe('a new database enters WAL', () => {
  const FIRST: readonly [string, (db: Db) => unknown][] = [
    ['exec', (db) => db.exec('CREATE TABLE t (x)')],
    ['exec of a script', (db) => db.exec(';;-- begin;\nPRAGMA foreign_keys=1; /* x */ BEGIN; CREATE TABLE t (x); COMMIT')],
    ['run', (db) => db.prepare('CREATE TABLE t (x)').run()],
    ['a transaction', (db) => db.transaction(() => db.exec('CREATE TABLE t (x)'))()],
    ['user_version', (db) => db.pragma('user_version=7')],
    ['application_id', (db) => db.exec('PRAGMA main.application_id = 7')],
    ['serialize', (db) => db.serialize()],
    ['auto_vacuum and exec', (db) => db.exec('PRAGMA auto_vacuum=full; CREATE TABLE t (x)')],
    [
      'a comment about journal_mode=delete',
      (db) => db.exec('PRAGMA cache_size=10 /* journal_mode=delete */; CREATE TABLE t (x)'),
    ],
    ['the journal mode of another schema', (db) => db.exec('PRAGMA temp.journal_mode=memory; CREATE TABLE t (x)')],
  ];
  it.each(FIRST)('by %s', (_, write) => {
    const file = tempPath();
    const { findings, onFinding } = collect();
    const db = openSync(file, { onFinding });
    expect(fs.statSync(file).size).toBe(0);
    write(db);
    expect(db.info.journalMode).toBe('wal');
    db.close();
    expect(versions(file)).toEqual([2, 2]);
    expect(findings).toEqual([]);
  });

  it('and not before: reading, preparing, explaining and temporary tables leave it empty', () => {
    const file = tempPath();
    const db = openSync(file);
    db.prepare('SELECT * FROM sqlite_schema').all();
    db.prepare('CREATE TABLE t (x)');
    db.prepare('EXPLAIN QUERY PLAN CREATE TABLE t (x)').all();
    db.exec('CREATE TEMP TABLE own (x); PRAGMA cache_size=10');
    expect(db.pragma('page_size=16384')).toEqual([]);
    expect(fs.statSync(file).size).toBe(0);
    db.exec('CREATE TABLE t (x)');
    expect(db.pragma('page_size', { simple: true })).toBe(16384);
    expect(db.info.journalMode).toBe('wal');
    db.close();
  });

  it('with the auto_vacuum that was chosen before', () => {
    const file = tempPath();
    openSync(file).exec('PRAGMA auto_vacuum=incremental; CREATE TABLE t (x)').close();
    const db = openSync(file);
    expect([db.pragma('auto_vacuum', { simple: true }), db.info.journalMode]).toEqual([2, 'wal']);
    db.close();
  });

  it('unless another mode was chosen, by option or by pragma', () => {
    for (const use of [
      (file: string) => openSync(file, { journal: 'keep' }),
      (file: string) => openSync(file, { journal: 'delete' }),
      (file: string) => openSync(file).exec('PRAGMA journal_mode=delete'),
      (file: string) => openSync(file).exec('PRAGMA "main" . journal_mode (persist)'),
    ]) {
      const file = tempPath();
      use(file).exec('CREATE TABLE t (x)').close();
      expect(versions(file)).toEqual([1, 1]);
    }
  });

  it('after a hot journal of its making was played back', async () => {
    const file = tempPath();
    fs.writeFileSync(file, '');
    fs.writeFileSync(`${file}-journal`, Buffer.alloc(600));
    const { findings, onFinding } = collect();
    const db = openSync(file, { onFinding });
    db.exec('CREATE TABLE t (x)');
    expect(db.info.journalMode).toBe('wal');
    db.close();
    expect(findings).toEqual([]);
  });

  it('when six processes make it at once, without a false alarm, and no row is lost', async () => {
    const file = tempPath();
    const peers = Array.from({ length: 6 }, () => oursPeer());
    await Promise.all(
      peers.map(async (peer, number) => {
        await peer.open(file, number % 2 ? { requireWal: true, timeout: 30_000 } : { timeout: 30_000 });
        await peer.script('CREATE TABLE IF NOT EXISTS t (x)');
        for (let row = 0; row < 20; row++) await peer.rows(`INSERT INTO t VALUES (${row})`);
      }),
    );
    const db = openSync(file);
    expect(db.prepare('SELECT count(*) FROM t').pluck().get()).toBe(120);
    expect(db.info.journalMode).toBe('wal');
    db.close();
  });
});

describe('what is not the main database', () => {
  it('keeps its journal mode when the main one enters WAL', () => {
    const folder = tempFolder();
    const old = path.join(folder, 'old.db');
    openSync(old, { journal: 'delete' }).exec('CREATE TABLE t (a)').close();
    const db = openSync(path.join(folder, 'new.db'));
    db.exec(`ATTACH '${old}' AS old`);
    db.transaction(() => db.prepare('SELECT * FROM old.t').all())();
    db.exec('CREATE TABLE n (x)');
    expect(db.info.journalMode).toBe('wal');
    db.close();
    expect(versions(old)).toEqual([1, 1]);
    expect(sidecarsOf(old)).toEqual([]);
  });
});

describe('a WAL beside an empty or missing file', () => {
  const orphan = async (context: Parameters<typeof demand>[0]) => {
    const file = tempPath();
    await crashDatabase(file, 'abandoned-wal', { native: demand(context, findPython()) });
    fs.truncateSync(file);
    return { file, wal: fs.readFileSync(`${file}-wal`) };
  };

  it('is refused by every way in, and stays', async (context) => {
    const { file, wal } = await orphan(context);
    const db = openSync(tempPath());
    db.exec('CREATE TABLE t (x)');
    for (const enter of [
      () => openSync(file),
      () => openSync(file, { readonly: true }),
      () => db.exec(`ATTACH '${file}' AS o; SELECT * FROM o.sqlite_schema`),
      () => db.exec(`VACUUM INTO '${file}'`),
    ])
      expect(failure(enter)).toMatchObject({ code: 'HOLDFAST_ORPHAN_WAL', path: file });
    db.close();
    fs.rmSync(file);
    expect(failure(() => openSync(file)).code).toBe('HOLDFAST_ORPHAN_WAL');
    expect(fs.existsSync(file)).toBe(false);
    expect(wal.equals(fs.readFileSync(`${file}-wal`))).toBe(true);
  });
});

describe('a file that was replaced between open and first write', () => {
  it('is not written, and nothing of the new one is lost', (context) => {
    const python = demand(context, findPython());
    const file = tempPath();
    const db = openSync(file);
    fs.rmSync(file);
    const make = `import sqlite3; c = sqlite3.connect(${JSON.stringify(file)}); c.execute("pragma journal_mode=wal"); c.execute("create table o(x)"); c.executemany("insert into o values (?)", [(i,) for i in range(500)]); c.commit(); c.close()`;
    execFileSync(python, ['-c', make]);
    const before = fs.readFileSync(file);
    const error = failure(() => db.exec('CREATE TABLE n (x)'));
    expect(error).toBeInstanceOf(StorageError);
    expect(error.code).toBe('SQLITE_READONLY_DBMOVED');
    db.close();
    expect(before.equals(fs.readFileSync(file))).toBe(true);
    expect(openSync(file).prepare('SELECT count(*) FROM o').pluck().get()).toBe(500);
  });
});

describe('requireWal', () => {
  it('is an error when a lock kept the switch from happening', async (context) => {
    const file = tempPath();
    openSync(file, { journal: 'delete' }).exec('CREATE TABLE t (x)').close();
    const native = nativePeer(demand(context, findPython()));
    await native.open(file);
    await native.rows('BEGIN');
    await native.rows('SELECT * FROM t');
    const error = failure(() => openSync(file, { requireWal: true, timeout: 20, onFinding: () => {} }));
    expect(error.message).toContain(file);
    await native.rows('COMMIT');
    const db = openSync(file, { requireWal: true, onFinding: () => {} });
    expect(db.info.journalMode).toBe('wal');
    db.close();
  });

  it('is refused with a mode that is none', () => {
    const file = tempPath();
    openSync(file, { journal: 'delete' }).exec('CREATE TABLE t (x)').close();
    const error = failure(() => openSync(file, { requireWal: true, journal: 'delete' }));
    expect(error).toBeInstanceOf(LockingError);
    expect(failure(() => openSync(file, { requireWal: true, readonly: true })).code).toBe('HOLDFAST_WAL_UNUSABLE');
  });
});

it('a database of another process of ours is left in the mode that it has', async () => {
  const file = tempPath();
  const peer = oursPeer(currentRuntime);
  await peer.open(file, { journal: 'delete' });
  const db = openSync(file);
  await peer.script('CREATE TABLE t (x)');
  db.exec('INSERT INTO t VALUES (1)');
  expect(db.info.journalMode).toBe('delete');
  db.close();
});
