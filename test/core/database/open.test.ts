// Opening: options, paths, what a database says of itself, and how it ends.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { StorageError, UsageError } from '../../../core/error.ts';
import { failure } from '../../support/failure.ts';
import { openSync } from '../../support/runtimes.ts';
import { sidecarsOf, tempFolder, tempPath } from '../../support/temp-folder.ts';
import { onBothEngines } from './on-both-engines.ts';

onBothEngines('opening', ({ open, engine }) => {
  it('makes a database with pages of 4096 bytes, in WAL mode where that is safe', () => {
    const file = tempPath();
    const db = open(file);
    db.exec('CREATE TABLE t (x)');
    expect(db.pragma('page_size', { simple: true })).toBe(4096);
    expect(db.info).toMatchObject({ path: file, journalMode: 'wal', rung: 'mapped', engine, findings: [] });
    expect(db.info.ground).toMatchObject({ resolved: file, class: 'native', walSafe: true });
    expect(db.info.ground?.mountPoint).toMatch(/^\//);
    db.close();
    expect(fs.statSync(file).size % 4096).toBe(0);
    expect(fs.readFileSync(file).readUInt16BE(16)).toBe(4096);
  });

  it.each(['wal', 'delete', 'truncate', 'persist'] as const)(
    'switches to journal mode %s, keeps it, and leaves the sidecars that it should',
    (journal) => {
      const file = tempPath();
      const db = open(file, { journal });
      db.exec('CREATE TABLE t (x); INSERT INTO t VALUES (1)');
      expect(db.info.journalMode).toBe(journal);
      db.close();
      expect(sidecarsOf(file)).toEqual(journal === 'persist' || journal === 'truncate' ? ['-journal'] : []);
      const again = open(file);
      expect(again.prepare('SELECT x FROM t').pluck().get()).toBe(1);
      // Only WAL is written into the file; the others are a setting of the connection.
      expect(again.info.journalMode).toBe(journal === 'wal' ? 'wal' : 'delete');
      again.close();
    },
  );

  it('leaves the page size of an existing database alone, also in a VACUUM', () => {
    const file = tempPath();
    const first = open(file);
    first.exec('PRAGMA page_size=1024; VACUUM; CREATE TABLE t (x)');
    first.close();
    const db = open(file);
    db.exec('VACUUM');
    expect(db.pragma('page_size', { simple: true })).toBe(1024);
    db.close();
  });

  it('enforces foreign keys', () => {
    const db = open();
    db.exec('CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a REFERENCES a)');
    expect(failure(() => db.exec('INSERT INTO b VALUES (1)')).code).toBe('SQLITE_CONSTRAINT_FOREIGNKEY');
  });

  it('keeps readonly what was opened so', () => {
    const file = tempPath();
    open(file).exec('CREATE TABLE t (x)').close();
    const db = open(file, { readonly: true });
    expect(db.readonly).toBe(true);
    expect(failure(() => db.exec('INSERT INTO t VALUES (1)')).code).toBe('SQLITE_READONLY');
    expect(db.prepare('SELECT count(*) FROM t').pluck().get()).toBe(0);
    db.close();
  });

  it('loads and gives bytes, from WAL too', () => {
    const file = tempPath();
    const db = open(file, { journal: 'wal' });
    db.exec('CREATE TABLE t (x); INSERT INTO t VALUES (42)');
    const bytes = db.serialize();
    db.close();
    const copy = open(bytes);
    expect(copy.memory).toBe(true);
    copy.exec('INSERT INTO t VALUES (43)');
    expect(copy.prepare('SELECT x FROM t').pluck().all()).toEqual([42, 43]);
    expect(
      failure(() => open(Buffer.from('not a database at all, but long enough'.repeat(40))).exec('SELECT * FROM t')).code,
    ).toBe('SQLITE_NOTADB');
  });

  it('backs up into another file while it is in use', async () => {
    const db = open(tempPath(), { journal: 'wal' });
    db.exec(
      'CREATE TABLE t (x); WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO t SELECT randomblob(100) FROM n',
    );
    const target = tempPath('copy.db');
    const seen: number[] = [];
    const done = await db.backup(target, {
      progress: ({ remainingPages }) => {
        seen.push(remainingPages);
        return 100;
      },
    });
    expect(done.remainingPages).toBe(0);
    expect(seen.length).toBeGreaterThan(3);
    expect(seen[0]).toBeGreaterThan(500);
    const copy = open(target);
    expect(copy.prepare('SELECT count(*), count(DISTINCT x) FROM t').raw().get()).toEqual([20000, 20000]);
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
    copy.close();
    expect(sidecarsOf(target)).toEqual([]);
    await expect(db.backup(target, { progress: () => Number.NaN })).rejects.toThrow(/number of pages/);
    await expect(db.backup(target, { progress: 5 as never })).rejects.toThrow(/function/);
    await expect(db.backup(db.info.path as string)).rejects.toThrow(/onto itself/);
    const mine = new Error('mine');
    let turns = 0;
    const stopped = db.backup(target, {
      progress: () => {
        if (turns++ > 0) throw mine;
        return 1;
      },
    });
    await expect(stopped).rejects.toBe(mine);
    // Nothing is held any more: another can write both.
    for (const file of [db.info.path as string, target]) open(file, { timeout: 0 }).exec('BEGIN EXCLUSIVE; ROLLBACK').close();
    const second = db.backup(tempPath('other.db'), { progress: () => 1 });
    db.close();
    await expect(second).rejects.toThrow(/closed/);
  });
});

describe('paths', () => {
  it.each([
    'with space.db',
    'a%20b.db',
    'x?mode=ro#y.db',
    'file:x.db',
    'file:y?mode=memory',
    'ünïcödé-数据.db',
    'new\nline.db',
    "quote'.db",
    '-dash.db',
    `${'x'.repeat(240)}.db`,
  ])('open the file that is named: %j', (name) => {
    const folder = tempFolder();
    const before = process.cwd();
    process.chdir(folder);
    try {
      const db = openSync(name, { journal: 'wal' });
      db.exec('CREATE TABLE t (x)');
      expect(db.name).toBe(name);
      expect(db.info.path).toBe(path.join(folder, name));
      expect(fs.readdirSync(folder).sort()).toEqual([name, `${name}-shm`, `${name}-wal`].sort());
      db.close();
      expect(fs.readdirSync(folder)).toEqual([name]);
    } finally {
      process.chdir(before);
    }
  });

  it('that are links lead to the real file, with the sidecars beside it', () => {
    const folder = tempFolder();
    fs.mkdirSync(path.join(folder, 'real'));
    fs.symlinkSync('real', path.join(folder, 'link'));
    fs.symlinkSync('real/target.db', path.join(folder, 'dangling.db'));
    const viaFolder = openSync(path.join(folder, 'link', 'z.db'), { journal: 'wal' });
    viaFolder.exec('CREATE TABLE t (x)');
    const viaFile = openSync(path.join(folder, 'dangling.db'), { journal: 'wal' });
    viaFile.exec('CREATE TABLE t (x)');
    expect(viaFile.info.path).toBe(path.join(folder, 'real', 'target.db'));
    expect(fs.readdirSync(path.join(folder, 'real')).sort()).toEqual([
      'target.db',
      'target.db-shm',
      'target.db-wal',
      'z.db',
      'z.db-shm',
      'z.db-wal',
    ]);
    expect(fs.readdirSync(folder).sort()).toEqual(['dangling.db', 'link', 'real']);
    viaFolder.close();
    viaFile.close();
  });

  it('can be file URLs, and only those', () => {
    const file = tempPath('with space #1.db');
    const db = openSync(pathToFileURL(file) as unknown as string);
    expect(db.info.path).toBe(file);
    db.close();
    expect(() => openSync(new URL('https://example.org/x.db') as unknown as string)).toThrow(/file: URLs/);
  });

  it.each(['journal', 'wal', 'shm'])('refuses a FIFO in place of its -%s, and does not wait for its other end', (sidecar) => {
    const file = tempPath();
    openSync(file, { journal: sidecar === 'journal' ? 'delete' : 'wal' })
      .exec('CREATE TABLE t (x)')
      .close();
    execFileSync('mkfifo', [`${file}-${sidecar}`]);
    for (const readonly of [true, false]) {
      const db = openSync(file, { readonly });
      expect(() => db.prepare('SELECT * FROM t').all()).toThrow(StorageError);
      db.close();
    }
  });

  it('that cannot be opened are named with the reason', () => {
    const folder = tempFolder();
    const missing = failure(() => openSync(path.join(folder, 'no', 'x.db')));
    expect(missing).toBeInstanceOf(StorageError);
    expect(missing).toMatchObject({ errno: 'ENOENT', syscall: 'realpath' });
    expect(missing.message).toContain(path.join(folder, 'no', 'x.db'));
    expect(failure(() => openSync(path.join(folder, 'x.db'), { create: false }))).toMatchObject({
      code: 'SQLITE_CANTOPEN',
      errno: 'ENOENT',
    });
    expect(failure(() => openSync(path.join(folder, 'x.db'), { readonly: true })).errno).toBe('ENOENT');
    expect(fs.readdirSync(folder)).toEqual([]);
    expect(failure(() => openSync(folder))).toMatchObject({ code: 'SQLITE_CANTOPEN_ISDIR', errno: 'EISDIR' });
    expect(failure(() => openSync(folder, { readonly: true })).code).toBe('SQLITE_CANTOPEN_ISDIR');
    fs.symlinkSync('loop', path.join(folder, 'loop'));
    expect(failure(() => openSync(path.join(folder, 'loop'))).errno).toBe('ELOOP');
    execFileSync('mkfifo', [path.join(folder, 'fifo')]);
    expect(failure(() => openSync(path.join(folder, 'fifo'), { readonly: true })).message).toMatch(/not a regular file/);
  });

  it('of a UTF-16 database are refused as that, and not as damaged', () => {
    const file = tempPath();
    const db = openSync(file);
    db.exec('CREATE TABLE t (x)');
    db.close();
    const bytes = fs.readFileSync(file);
    bytes[59] = 2;
    fs.writeFileSync(file, bytes);
    const error = failure(() => openSync(file));
    expect(error).toMatchObject({ code: 'HOLDFAST_UTF16', path: file });
    expect(error.message).toMatch(/UTF-16.*Nothing is wrong/);
    expect(failure(() => openSync(bytes as unknown as string)).code).toBe('HOLDFAST_UTF16');
  });

  it('whose sidecars have no room for their names fail when they write, and say so', () => {
    const file = tempPath('x'.repeat(250));
    const db = openSync(file);
    const error = failure(() => db.exec('CREATE TABLE t (x)'));
    expect(error).toMatchObject({ code: 'SQLITE_CANTOPEN', errno: 'ENAMETOOLONG', path: `${file}-journal` });
    expect(error.hint).toMatch(/255 bytes/);
    db.close();
  });

  it('and options of a wrong kind are refused before anything is touched', () => {
    const file = tempPath();
    const wrong: [string, unknown, string?][] = [
      ['timeout', -1],
      ['timeout', Number.NaN],
      ['timeout', '5'],
      ['journal', 'WAL'],
      ['locking', 'none'],
      ['readonly', 'yes'],
      ['create', 1],
      ['interrupt', new Int32Array(1)],
      ['readOnly', true],
    ];
    for (const [name, value] of wrong) expect(failure(() => openSync(file, { [name]: value }))).toBeInstanceOf(UsageError);
    for (const bad of [undefined, null, 5, {}, 'a\0b', 'a\uD800'])
      expect(failure(() => openSync(bad as string))).toBeInstanceOf(UsageError);
    expect(failure(() => openSync(file, { readonly: true, create: true }))).toBeInstanceOf(UsageError);
    expect(fs.existsSync(file)).toBe(false);
  });
});

describe('ending', () => {
  it('with using closes', () => {
    const file = tempPath();
    let held: { open: boolean };
    {
      using db = openSync(file, { journal: 'wal' });
      db.exec('CREATE TABLE t (x)');
      held = db;
    }
    expect(held.open).toBe(false);
    expect(sidecarsOf(file)).toEqual([]);
  });

  it('rolls back what was not committed', () => {
    const file = tempPath();
    const db = openSync(file);
    db.exec('CREATE TABLE t (x); BEGIN; INSERT INTO t VALUES (1)');
    expect(db.inTransaction).toBe(true);
    db.close();
    const again = openSync(file);
    expect(again.prepare('SELECT count(*) FROM t').pluck().get()).toBe(0);
    again.close();
  });

  it('can be asked of a running statement by another thread’s flag', () => {
    const interrupt = new Int32Array(new SharedArrayBuffer(4));
    const db = openSync(':memory:', { interrupt });
    const forever = db.prepare('WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n');
    interrupt[0] = 1;
    expect(failure(() => forever.get()).code).toBe('SQLITE_INTERRUPT');
    interrupt[0] = 0;
    expect(db.prepare('SELECT 1').pluck().get()).toBe(1);
    db.close();
  });
});
