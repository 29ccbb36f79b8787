// What lies around a database: each finding made for real, none where all is well, and nothing changed by looking.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isHotJournal } from '../../../core/doctor/beside.ts';
import { examineSurroundings, type SurroundingsQuestion } from '../../../core/doctor/surroundings.ts';
import type { Finding } from '../../../vfs/finding.ts';
import type { Host } from '../../../vfs/host.ts';
import { NOBODY } from '../../support/another-user.ts';
import { crashDatabase } from '../../support/crashed-database.ts';
import { nativePeer } from '../../support/peer.ts';
import { openSync } from '../../support/runtimes.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { demand, findPython, findRoot, findTool } from '../../support/tools.ts';
import { changedHost, host, seen } from './looking.ts';

const GIB = 2 ** 30;
/** Space is what this machine has; here it is always enough, unless a test says otherwise. */
const roomy = changedHost({ fileSystem: () => ({ type: 0, freeBytes: GIB, totalBytes: GIB }) });

function look(file: string, question: SurroundingsQuestion = {}, by: Host = roomy): Finding[] {
  const before = seen(path.dirname(file));
  const findings = examineSurroundings(by, file, question);
  expect(seen(path.dirname(file))).toEqual(before);
  for (const { code, message, remedy } of findings) {
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(message).toMatch(/[^.]$/);
    expect(remedy ?? 'x').toMatch(/[^.]$/);
  }
  return findings;
}

const brief = (findings: readonly Finding[]) => findings.map(({ severity, code }) => `${severity} ${code}`);

/** A private database in a folder that only we may enter. */
function made(journal: 'wal' | 'delete' = 'delete', name = 'it is.db'): string {
  const file = path.join(tempFolder(), name);
  const db = openSync(file, { journal });
  db.exec('CREATE TABLE t (x); INSERT INTO t VALUES (1)');
  db.close();
  fs.chmodSync(file, 0o600);
  return file;
}

describe('all is well', () => {
  it.each(['delete', 'wal'] as const)('with a private database in mode %s, closed or open', (journal) => {
    const file = made(journal);
    expect(look(file, { private: true })).toEqual([]);
    const db = openSync(file);
    db.exec('BEGIN IMMEDIATE; INSERT INTO t VALUES (2)');
    expect(look(file, { private: true, held: true })).toEqual([]);
    db.exec('COMMIT');
    db.close();
  });

  it('where there is nothing', () => {
    expect(look(path.join(tempFolder(), 'none.db'))).toEqual([]);
    expect(examineSurroundings(host, '/nowhere/at/all.db')).toEqual([]);
    expect(examineSurroundings(host, tempFolder())).toEqual([]);
    expect(examineSurroundings(host, '/dev/null')).toEqual([]);
  });
});

describe('who may read it', () => {
  it.each([
    [0o644, 0o755, true, ['info readable-by-others']],
    [0o644, 0o755, false, ['info readable-by-others']],
    [0o640, 0o755, true, ['info readable-by-others']],
    [0o600, 0o755, true, []],
    [0o644, 0o700, true, []],
    [0o644, 0o710, true, ['info readable-by-others']],
  ])('mode %o in a folder of mode %o', (mode, folderMode, isPrivate, expected) => {
    const file = made();
    fs.chmodSync(file, mode);
    fs.chmodSync(path.dirname(file), folderMode);
    const found = look(file, { private: isPrivate });
    expect(brief(found)).toEqual(expected);
    const remedy = isPrivate ? `chmod 600 '${file}', and the same for its -wal and -shm; doctor --fix does it` : undefined;
    if (found[0]) expect(found[0].remedy).toBe(remedy);
  });
});

describe('links', () => {
  it('hard links are an error, a symbolic link is news', () => {
    const file = made();
    const link = path.join(path.dirname(file), 'link.db');
    fs.symlinkSync(file, link);
    expect(look(link)).toMatchObject([{ severity: 'info', code: 'symbolic-link', path: file }]);
    fs.linkSync(file, path.join(path.dirname(file), 'second.db'));
    expect(brief(look(file))).toEqual(['error hard-links']);
    expect(look(file)[0]?.message).toContain('2 names');
  });

  it('a sidecar with two names, or that is no file', () => {
    const file = made('wal');
    const db = openSync(file);
    db.exec('INSERT INTO t VALUES (1)');
    fs.linkSync(`${file}-wal`, `${file}-other`);
    expect(brief(look(file))).toEqual(['error sidecar-hard-links']);
    db.close();
    fs.mkdirSync(`${file}-journal`);
    expect(brief(look(file))).toEqual(['error sidecar-not-a-file']);
  });
});

describe('sidecars that are symbolic links', () => {
  it.for([
    ['-shm', 'wal'],
    ['-wal', 'wal'],
    ['-journal', 'delete'],
  ] as const)('%s is an error, is not followed, and is what native SQLite refuses', async ([suffix, mode], context) => {
    const file = made(mode);
    const target = path.join(tempFolder(), 'target');
    fs.writeFileSync(target, suffix === '-journal' ? 'some notes of mine\n'.repeat(50) : '');
    fs.symlinkSync(target, file + suffix);
    const found = look(file);
    expect(brief(found)).toEqual(['error sidecar-symbolic-link']);
    expect(found[0]?.message).toContain(`${file}${suffix} is a symbolic link`);
    const native = nativePeer(demand(context, findPython()));
    await native.open(file);
    expect((await native.ask({ op: 'run', name: 'db', sql: 'INSERT INTO t VALUES (2)' })).code).toMatch(/^SQLITE_CANTOPEN/);
    fs.rmSync(target);
    expect(brief(look(file))).toEqual(['error sidecar-symbolic-link']);
  });

  it('a text file behind a link, or at the name of a journal, is no transaction that was cut short', () => {
    const file = made();
    fs.writeFileSync(`${file}-notes`, 'some notes of mine\n'.repeat(50), { mode: 0o600 });
    fs.symlinkSync(`${file}-notes`, `${file}-journal`);
    expect(isHotJournal(host, `${file}-journal`)).toBe(false);
    expect(brief(look(file))).toEqual(['error sidecar-symbolic-link']);
    fs.rmSync(`${file}-journal`);
    fs.renameSync(`${file}-notes`, `${file}-journal`);
    expect(look(file)).toEqual([]);
  });
});

describe('sidecars', () => {
  it('that let in fewer than the database', () => {
    const file = made('wal');
    fs.chmodSync(file, 0o660);
    fs.writeFileSync(`${file}-wal`, '');
    fs.writeFileSync(`${file}-shm`, '');
    fs.chmodSync(`${file}-wal`, 0o660);
    fs.chmodSync(`${file}-shm`, 0o640);
    const found = look(file);
    expect(brief(found)).toEqual(['warning sidecar-less-accessible']);
    expect(found[0]?.message).toMatch(/-shm has mode 0640, the database 0660/);
    fs.chmodSync(`${file}-shm`, 0o664);
    expect(look(file)).toEqual([]);
  });

  it('that belong to somebody else', (context) => {
    demand(context, findRoot());
    const file = made('wal');
    fs.writeFileSync(`${file}-shm`, '');
    fs.chmodSync(`${file}-shm`, 0o600);
    fs.chownSync(file, NOBODY, NOBODY);
    const found = look(file);
    expect(brief(found)).toEqual(['warning sidecar-other-owner']);
    expect(found[0]?.remedy).toContain(`chown ${NOBODY}:${NOBODY} '${file}-shm'`);
    // As the user who has the database, it is an error of his own.
    const asNobody = changedHost({ ...{ fileSystem: roomy.fileSystem }, access: (name) => (name.endsWith('-shm') ? -13 : 0) });
    expect(brief(look(file, {}, asNobody))).toEqual(['error sidecar-other-owner']);
    fs.chmodSync(`${file}-shm`, 0o666);
    expect(look(file)).toEqual([]);
  });
});

describe('its folder and its space', () => {
  it('a folder that we may not write is an error only where the file may be written', () => {
    const file = made();
    const denied = (names: string[]) =>
      changedHost({ fileSystem: roomy.fileSystem, access: (name, need) => (need === 'write' && names.includes(name) ? -13 : 0) });
    const folder = path.dirname(file);
    expect(brief(look(file, {}, denied([folder])))).toEqual(['error folder-not-writable']);
    expect(brief(look(file, {}, denied([folder, file])))).toEqual(['info folder-not-writable']);
  });

  it.each([
    [64, 0, []],
    [63.9, 0, ['warning disk-space-low']],
    [16, 0, ['warning disk-space-low']],
    [15.9, 0, ['error disk-full']],
    [0, 0, ['error disk-full']],
    [150, 100, []],
    [99, 100, ['warning disk-space-low']],
  ])('%f MiB free with a WAL of %i MiB', (free, wal, expected) => {
    const file = made('wal');
    if (wal > 0) {
      fs.writeFileSync(`${file}-wal`, '');
      fs.chmodSync(`${file}-wal`, 0o600);
      fs.truncateSync(`${file}-wal`, wal * 2 ** 20);
    }
    const small = changedHost({ fileSystem: () => ({ type: 0, freeBytes: free * 2 ** 20, totalBytes: GIB }) });
    expect(brief(examineSurroundings(small, file))).toEqual(expected);
  });
});

describe('what lies beside it', () => {
  it('a lock folder of another package, with its age, and lock files that say nothing', () => {
    const file = made();
    fs.mkdirSync(`${file}.lock`);
    fs.utimesSync(`${file}.lock`, new Date(), new Date(Date.now() - 3 * 3600_000));
    for (const suffix of ['.quarantine.lock', '.repair.lock', '.fts_rebuild.lock', '.auto-maintenance.lock'])
      fs.writeFileSync(file + suffix, '');
    const found = look(file);
    expect(brief(found)).toEqual(['warning dot-file-lock', ...Array(4).fill('info lock-file')]);
    expect(found[0]).toMatchObject({
      message: expect.stringContaining('made 3 h ago'),
      remedy: expect.stringContaining(`rmdir '${file}.lock'`),
    });
    fs.rmdirSync(`${file}.lock`);
    fs.writeFileSync(`${file}.lock`, '');
    expect(brief(look(file))).toEqual(Array(5).fill('info lock-file'));
  });

  it('a lock folder that SQLite itself holds by dot-file is shown too', () => {
    const file = made();
    const db = openSync(file, { locking: 'dotfile' });
    db.exec('BEGIN IMMEDIATE');
    expect(brief(look(file))).toEqual(['warning dot-file-lock']);
    db.exec('ROLLBACK');
    db.close();
    expect(look(file)).toEqual([]);
  });

  it('a hot journal, unless somebody is writing', async (context) => {
    const file = path.join(tempFolder(), 'test.db');
    await crashDatabase(file, 'hot-journal', { native: demand(context, findPython()) });
    fs.chmodSync(file, 0o600);
    expect(brief(look(file))).toEqual(['warning hot-journal']);
    expect(look(file, { held: true })).toEqual([]);
    // Its database lost, SQLite would delete it.
    fs.renameSync(file, `${file}.away`);
    expect(brief(look(file))).toEqual(['error orphan-journal']);
    fs.writeFileSync(file, '', { mode: 0o600 });
    expect(brief(look(file))).toEqual(['error orphan-journal']);
    // Beside a database in WAL mode it is none of its own.
    fs.copyFileSync(made('wal'), file);
    expect(brief(look(file))).toEqual(['error journal-beside-wal']);
  });

  it('a journal that was only kept is none', () => {
    for (const mode of ['persist', 'truncate']) {
      const file = made();
      const db = openSync(file);
      db.exec(`PRAGMA journal_mode=${mode}; INSERT INTO t VALUES (2)`);
      db.close();
      expect(fs.existsSync(`${file}-journal`)).toBe(true);
      expect(look(file)).toEqual([]);
    }
  });

  it('a log of another time beside a database in rollback mode, which native SQLite does play in', (context) => {
    const python = demand(context, findPython());
    const file = made('wal');
    const db = openSync(file);
    db.exec('CREATE TABLE old (x)');
    const restored = made('delete');
    for (const suffix of ['-wal', '-shm']) {
      fs.copyFileSync(file + suffix, restored + suffix);
      fs.chmodSync(restored + suffix, 0o600);
    }
    db.close();
    expect(brief(look(restored))).toEqual(['error wal-beside-rollback']);
    const script =
      "import sqlite3, sys; print([r[0] for r in sqlite3.connect(sys.argv[1]).execute('select name from sqlite_schema')])";
    expect(execFileSync(python, ['-c', script, restored], { encoding: 'utf8' })).toContain('old');
  });

  it('sidecars that were left over empty', () => {
    const file = made('delete');
    fs.writeFileSync(`${file}-wal`, '');
    fs.writeFileSync(`${file}-shm`, 'abc');
    const found = look(file);
    expect(brief(found)).toEqual(['info sidecar-left-over']);
    expect(found[0]?.message).toContain('-wal and ');
    const live = made('wal');
    fs.writeFileSync(`${live}-wal`, '');
    expect(look(live)).toEqual([]);
  });

  it('a log whose database is gone or empty', () => {
    const file = made('wal');
    const db = openSync(file);
    db.exec('CREATE TABLE new (x)');
    const lost = path.join(tempFolder(), 'lost.db');
    fs.copyFileSync(`${file}-wal`, `${lost}-wal`);
    db.close();
    expect(look(lost)).toMatchObject([{ severity: 'error', code: 'orphan-wal', path: lost }]);
    fs.writeFileSync(lost, '', { mode: 0o600 });
    expect(brief(look(lost))).toEqual(['error orphan-wal']);
    fs.truncateSync(`${lost}-wal`, 0);
    expect(look(lost)).toEqual([]);
  });

  it('a FIFO in place of a journal does not make it wait', (context) => {
    const mkfifo = demand(context, findTool('mkfifo'));
    const file = made();
    execFileSync(mkfifo, [`${file}-journal`]);
    expect(brief(look(file))).toEqual(['error sidecar-not-a-file']);
  });
});
