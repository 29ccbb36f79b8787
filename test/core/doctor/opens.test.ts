// Opening to see whether it opens: what SQLite finds, and the proof that nothing was changed, locked or left.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readWasm } from '../../../adapters/node/wasm-file.ts';
import { FrozenHost } from '../../../core/doctor/frozen-host.ts';
import { Opener, type Opening } from '../../../core/doctor/opens.ts';
import { loadSqliteWasm } from '../../../core/engine/sqlite-wasm.ts';
import type { Host } from '../../../vfs/host.ts';
import { crashDatabase, EXPECTED, FACTS } from '../../support/crashed-database.ts';
import { nativePeer } from '../../support/peer.ts';
import { openSync } from '../../support/runtimes.ts';
import { sidecarsOf, tempFolder, tempPath } from '../../support/temp-folder.ts';
import { demand, findPython, findTool } from '../../support/tools.ts';
import { flavour } from '../engine/engines.ts';
import { changedHost, host, seen } from './looking.ts';

function openerOn(ground: Host): Opener {
  return new Opener(loadSqliteWasm({ wasm: readWasm(), fixedMemory: flavour.fixedMemory }), ground);
}

const opener = openerOn(host);

/** Tries it, and proves that its folder is as it was. */
function tried(file: string, by = opener): Opening {
  const before = seen(path.dirname(file));
  const opening = by.tryOpen(file);
  expect(seen(path.dirname(file))).toEqual(before);
  return opening;
}

function made(sql: string, journal: 'wal' | 'delete' = 'delete'): string {
  const file = tempPath();
  const db = openSync(file, { journal });
  db.exec(sql);
  db.close();
  return file;
}

const STORE = `CREATE TABLE sessions (id TEXT PRIMARY KEY); CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, body);
  CREATE VIRTUAL TABLE search USING fts5(body); CREATE VIEW v AS SELECT 1; INSERT INTO sessions VALUES ('a'), ('b'), ('c')`;

describe('a database that opens', () => {
  it.each(['delete', 'wal'] as const)('in journal mode %s, closed cleanly', (journal) => {
    const file = made(STORE, journal);
    expect(sidecarsOf(file)).toEqual([]);
    // Two tables, the virtual one and its shadows.
    const opening = tried(file);
    expect(opening).toMatchObject({ state: 'opens', sessions: 3 });
    const db = openSync(file, { readonly: true });
    expect(opening).toMatchObject({
      tables: db.prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'").pluck().get(),
    });
    db.close();
  });

  it('with what only its log holds, with a stale wal-index, without one, and with one of the living', () => {
    const file = tempPath();
    const db = openSync(file, { journal: 'wal' });
    db.exec(`CREATE TABLE first (x); PRAGMA wal_autocheckpoint=0; ${STORE}`);
    expect(fs.statSync(file).size).toBeLessThan(20_000);
    const expected = { state: 'opens', tables: 9, sessions: 3 };
    const copies = [tempFolder(), tempFolder(), tempFolder()].map((folder) => path.join(folder, 'copy.db'));
    for (const [index, copy] of copies.entries()) {
      for (const suffix of ['', '-wal']) fs.copyFileSync(file + suffix, copy + suffix);
      if (index === 0) fs.copyFileSync(`${file}-shm`, `${copy}-shm`);
      if (index === 1) fs.writeFileSync(`${copy}-shm`, Buffer.alloc(32768, 0xff));
      expect(tried(copy)).toEqual(expected);
    }
    expect(tried(file)).toEqual(expected);
    db.exec("INSERT INTO sessions VALUES ('d')");
    expect(tried(file)).toEqual({ ...expected, sessions: 4 });
    db.close();
  });

  it('of a killed native writer, whose committed rows are in the log alone', async (context) => {
    const file = tempPath();
    await crashDatabase(file, 'abandoned-wal', { native: demand(context, findPython()) });
    expect(tried(file)).toEqual({ state: 'opens', tables: 1, sessions: undefined });
    const db = openSync(file);
    expect(db.prepare(FACTS).raw().get()).toEqual(EXPECTED['abandoned-wal']);
    db.close();
  });

  it('empty, without tables, or with a view or a virtual table called sessions', () => {
    const empty = tempPath();
    fs.writeFileSync(empty, '');
    expect(tried(empty)).toEqual({ state: 'opens', tables: 0, sessions: undefined });
    expect(tried(made('PRAGMA user_version=1'))).toEqual({ state: 'opens', tables: 0, sessions: undefined });
    expect(tried(made('CREATE VIEW sessions AS SELECT * FROM nowhere'))).toMatchObject({ sessions: undefined });
    expect(tried(made('CREATE VIRTUAL TABLE sessions USING fts5(x)'))).toMatchObject({ sessions: undefined });
  });

  it('with more sessions than can be counted quickly', () => {
    const many = (rows: number) => `CREATE TABLE sessions (id INTEGER PRIMARY KEY);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) INSERT INTO sessions SELECT i FROM n`;
    expect(tried(made(many(100_000)))).toMatchObject({ state: 'opens', sessions: 100_000 });
    expect(tried(made(many(100_001)))).toMatchObject({ state: 'opens', sessions: undefined });
  });

  it('on a folder and files that cannot be written, and from a full disk of temporary files', () => {
    const file = made(STORE, 'wal');
    const noShm = changedHost({ realPath: (name) => (name === '/dev/shm' ? -2 : host.realPath(name)) });
    expect(tried(file, openerOn(noShm))).toMatchObject({ state: 'opens' });
    const full = changedHost({ open: (name, mode) => (mode.create ? -28 : host.open(name, mode)) });
    expect(tried(file, openerOn(full))).toMatchObject({ state: 'fails' });
    fs.chmodSync(file, 0o400);
    fs.chmodSync(path.dirname(file), 0o500);
    expect(tried(file)).toMatchObject({ state: 'opens', sessions: 3 });
    fs.chmodSync(path.dirname(file), 0o700);
  });
});

describe('a database that does not open', () => {
  it('whose schema is malformed', () => {
    const file = made('CREATE TABLE first (x); CREATE TABLE second (y)');
    const bytes = fs.readFileSync(file);
    bytes.write('CREATE TABBE', bytes.lastIndexOf('CREATE TABLE'));
    fs.writeFileSync(file, bytes);
    const opening = tried(file);
    expect(opening.state === 'fails' && opening.error).toMatchObject({ code: 'SQLITE_CORRUPT' });
  });

  it.each([
    ['noise', (bytes: Buffer) => bytes.fill(0x55, 0, 4096), 'SQLITE_NOTADB'],
    ['no first page', (bytes: Buffer) => bytes.fill(0, 0, 4096), 'SQLITE_NOTADB'],
    ['a damaged root', (bytes: Buffer) => bytes.fill(0xee, 100, 4096), 'SQLITE_CORRUPT'],
  ])('of %s', (_, damage, code) => {
    const file = made(STORE);
    const bytes = fs.readFileSync(file);
    damage(bytes);
    fs.writeFileSync(file, bytes);
    const opening = tried(file);
    expect(opening.state === 'fails' && opening.error).toMatchObject({ code });
    expect(opening.state === 'fails' && opening.error.message).toContain(file);
  });

  it('that is missing, or empty beside a log with content', () => {
    expect(tried(tempPath())).toMatchObject({ state: 'fails', error: { code: 'SQLITE_CANTOPEN' } });
    const file = tempPath();
    const db = openSync(file, { journal: 'wal' });
    db.exec(STORE);
    const orphan = tempPath();
    fs.copyFileSync(`${file}-wal`, `${orphan}-wal`);
    fs.writeFileSync(orphan, '');
    db.close();
    expect(tried(orphan)).toMatchObject({ state: 'fails', error: { code: 'HOLDFAST_ORPHAN_WAL' } });
  });
});

it.for(['-journal', '-wal', '-shm'])('a FIFO in place of its %s does not make it wait', (suffix, context) => {
  const mkfifo = demand(context, findTool('mkfifo'));
  const file = made(STORE, suffix === '-journal' ? 'delete' : 'wal');
  execFileSync(mkfifo, [file + suffix]);
  // The wal-index is not looked at.
  expect(tried(file).state).toBe(suffix === '-shm' ? 'opens' : 'fails');
});

describe('a database that is not tried', () => {
  it('with a hot journal, which is still there for whoever may play it back', async (context) => {
    const file = tempPath();
    await crashDatabase(file, 'hot-journal', { native: demand(context, findPython()) });
    expect(tried(file)).toMatchObject({ state: 'skipped', code: 'needs-recovery' });
    const db = openSync(file);
    expect(db.prepare(FACTS).raw().get()).toEqual(EXPECTED['hot-journal']);
    db.close();
    // What journal_mode PERSIST leaves is no hot journal.
    const kept = openSync(file);
    kept.exec('PRAGMA journal_mode=persist; UPDATE t SET v = 0 WHERE id = 1');
    kept.close();
    expect(sidecarsOf(file)).toEqual(['-journal']);
    expect(tried(file)).toMatchObject({ state: 'opens', tables: 1 });
  });

  it('in UTF-16', (context) => {
    const python = demand(context, findPython());
    const file = tempPath();
    const script = `import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute("PRAGMA encoding='UTF-16le'"); d.execute('CREATE TABLE t (x)')`;
    execFileSync(python, ['-c', script, file]);
    expect(tried(file)).toMatchObject({ state: 'skipped', code: 'utf16' });
  });

  it('with a log that is too large', () => {
    const file = made(STORE, 'wal');
    fs.writeFileSync(`${file}-wal`, '');
    fs.truncateSync(`${file}-wal`, 64 * 2 ** 20 + 1);
    expect(opener.tryOpen(file)).toMatchObject({ state: 'skipped', code: 'large-wal' });
    fs.truncateSync(`${file}-wal`, 64 * 2 ** 20);
    expect(opener.tryOpen(file)).toMatchObject({ state: 'opens' });
  });

  it('that changes while it is read', () => {
    const file = made(STORE);
    const busy = changedHost({
      read: (...parameters) => {
        fs.utimesSync(file, 1, 1);
        return host.read(...parameters);
      },
    });
    expect(openerOn(busy).tryOpen(file)).toMatchObject({ state: 'skipped', code: 'changed' });
  });
});

describe('others', () => {
  it('who hold every lock do not keep it out, and lose none', async (context) => {
    const python = demand(context, findPython());
    const file = made(STORE);
    const holder = nativePeer(python);
    await holder.open(file);
    await holder.script('BEGIN EXCLUSIVE');
    expect(tried(file)).toMatchObject({ state: 'opens', sessions: 3 });
    expect(await rival(python, file)).toBe('SQLITE_BUSY');
    await holder.script("INSERT INTO sessions VALUES ('d'); COMMIT");
    expect(await rival(python, file)).toEqual([]);
    expect(tried(file)).toMatchObject({ sessions: 4 });
  });

  it('who write in WAL mode go on undisturbed', async (context) => {
    const python = demand(context, findPython());
    const file = made(STORE, 'wal');
    const writer = nativePeer(python);
    await writer.open(file);
    await writer.script("BEGIN IMMEDIATE; INSERT INTO sessions VALUES ('d')");
    for (let round = 0; round < 20; round++) {
      expect(tried(file)).toMatchObject({ state: 'opens', sessions: 3 + round });
      await writer.script(`COMMIT; BEGIN IMMEDIATE; INSERT INTO sessions VALUES ('e${round}')`);
    }
    await writer.script('COMMIT');
    expect(await writer.rows('PRAGMA integrity_check')).toEqual([['ok']]);
    expect(await writer.rows('SELECT count(*) FROM sessions')).toEqual([[24]]);
    await writer.close();
    expect(sidecarsOf(file)).toEqual([]);
  });
});

it('one engine tries many, and leaves no descriptor and no temporary file', () => {
  const opened = new Map<number, string>();
  const counting = changedHost({
    open: (name, mode) => {
      const fd = host.open(name, mode);
      if (fd >= 0) opened.set(fd, name);
      return fd;
    },
    close: (fd) => {
      opened.delete(fd);
      return host.close(fd);
    },
  });
  const names: string[] = [];
  const open = counting.open;
  counting.open = (name, mode) => {
    names.push(name);
    return open(name, mode);
  };
  const many = openerOn(counting);
  const files = [made(STORE), made(STORE, 'wal'), tempPath()];
  for (let round = 0; round < 20; round++) for (const file of files) many.tryOpen(file);
  expect([...opened.values()]).toEqual([]);
  expect(names.length).toBeGreaterThan(60);
  expect(names.filter((name) => !files.includes(name) && fs.existsSync(name) && name !== '/dev/null')).toEqual([]);
});

describe('the frozen host', () => {
  const frozen = new FrozenHost(host);
  const refused = -30;

  it('refuses whatever would change something', () => {
    const file = made(STORE);
    const folder = path.dirname(file);
    const fd = frozen.open(file, { write: false, create: false, exclusive: false, noFollow: true, mode: 0 });
    const before = seen(folder);
    const writing = { write: true, create: false, exclusive: false, noFollow: true, mode: 0o644 };
    expect([
      frozen.open(file, writing),
      frozen.open(file, { ...writing, create: true }),
      frozen.open(`${file}-journal`, { ...writing, create: true }),
      frozen.open(`${folder}/new`, { ...writing, create: true }),
      frozen.write(fd, new Uint8Array(10), 0, 10, 0),
      frozen.truncate(fd, 0),
      frozen.unlink(file),
      frozen.rename(),
      frozen.makeDirectory(),
      frozen.removeDirectory(),
      frozen.changeMode(),
      frozen.changeModeAt(),
      frozen.changeOwner(),
      frozen.touch(),
      frozen.access(file, 'write'),
      frozen.map(fd, 0, 4096, { u8: new Uint8Array(0), allocate: () => 0, release: () => {} }, 0, true),
    ]).toEqual(Array(16).fill(refused));
    expect(frozen.close(fd)).toBe(0);
    expect(seen(folder)).toEqual(before);
  });

  it('takes a wal-index, a missing log and a temporary file elsewhere', () => {
    const file = made(STORE);
    const folder = path.dirname(file);
    fs.writeFileSync(`${file}-shm`, 'real');
    const before = seen(folder);
    const writing = { write: true, create: true, exclusive: false, noFollow: true, mode: 0o644 };
    const descriptors = [
      frozen.open(`${file}-shm`, writing),
      frozen.open(`${file}-wal`, writing),
      frozen.open(`${folder}/temporary`, { ...writing, exclusive: true }),
    ];
    for (const fd of descriptors) {
      expect(frozen.size(fd)).toBe(0);
      expect(frozen.write(fd, new Uint8Array([7]), 0, 1, 0)).toBeGreaterThanOrEqual(0);
      expect(frozen.truncate(fd, 100)).toBe(0);
      expect(frozen.size(fd)).toBe(100);
    }
    expect(frozen.unlink(`${file}-shm`)).toBe(0);
    expect(seen(folder)).toEqual(before);
    for (const fd of descriptors) frozen.close(fd);
    expect(frozen.write(descriptors[0] as number, new Uint8Array(1), 0, 1, 0)).toBe(refused);
  });
});

/** What a native writer gets at once. */
async function rival(python: string, file: string): Promise<unknown> {
  const peer = nativePeer(python);
  await peer.open(file);
  const answer = await peer.try('BEGIN IMMEDIATE');
  await peer.end();
  return answer;
}
