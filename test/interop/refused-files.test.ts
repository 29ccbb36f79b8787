// Files that the system will not let us open or write: the same result codes as native SQLite, with errno and path kept.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findAnotherUser } from '../support/another-user.ts';
import { nativePeer, oursPeer, type Peer } from '../support/peer.ts';
import { currentRuntime, openSync } from '../support/runtimes.ts';
import { makeReadonly, smallDisk } from '../support/small-disk.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { demand, findPython } from '../support/tools.ts';

const READ = 'SELECT count(*) FROM t';
const WRITE = 'INSERT INTO t VALUES (2)';

function makeDatabase(file: string, journal: 'wal' | 'delete'): void {
  openSync(file, { journal }).exec('CREATE TABLE t (x); INSERT INTO t VALUES (1)').close();
}

/** The codes that opening, reading and writing end with. Native opens lazily, so a failed open is a failed read as well. */
async function codesOf(peer: Peer, file: string): Promise<unknown[]> {
  const opened = await peer.ask({ op: 'open', name: 'db', path: file });
  if (opened.code !== 'ok') return [opened.code, opened.code];
  const codes = [await peer.try(READ), await peer.try(WRITE)];
  await peer.ask({ op: 'close', name: 'db' });
  return codes;
}

describe('to a user without rights', () => {
  const CASES: Record<string, { journal: 'wal' | 'delete'; file: number; folder: number; codes: unknown[] }> = {
    'a readonly file in a readonly folder': { journal: 'delete', file: 0o644, folder: 0o755, codes: [[[1]], 'SQLITE_READONLY'] },
    'a writable file in a readonly folder': {
      journal: 'delete',
      file: 0o666,
      folder: 0o755,
      codes: [[[1]], 'SQLITE_READONLY_DIRECTORY'],
    },
    'a readonly file in a writable folder': { journal: 'delete', file: 0o644, folder: 0o777, codes: [[[1]], 'SQLITE_READONLY'] },
    'a file that cannot be read': {
      journal: 'delete',
      file: 0o600,
      folder: 0o777,
      codes: ['SQLITE_CANTOPEN', 'SQLITE_CANTOPEN'],
    },
    'a WAL database in a readonly folder': {
      journal: 'wal',
      file: 0o644,
      folder: 0o755,
      codes: ['SQLITE_READONLY_DIRECTORY', 'SQLITE_READONLY_DIRECTORY'],
    },
    'a writable WAL database in a readonly folder': {
      journal: 'wal',
      file: 0o666,
      folder: 0o755,
      codes: ['SQLITE_READONLY_DIRECTORY', 'SQLITE_READONLY_DIRECTORY'],
    },
  };

  it.for(Object.keys(CASES))('%s', async (name, context) => {
    const nobody = demand(context, findAnotherUser());
    const { journal, file: fileMode, folder: folderMode, codes } = CASES[name] as (typeof CASES)[string];
    const [native, ours] = [nativePeer(nobody.python, nobody.before), oursPeer(currentRuntime, nobody.before)];
    const answers: unknown[] = [];
    for (const peer of [native, ours]) {
      const folder = tempFolder();
      const file = path.join(folder, 'x.db');
      makeDatabase(file, journal);
      fs.chmodSync(file, fileMode);
      fs.chmodSync(folder, folderMode);
      answers.push(await codesOf(peer, file));
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[1]).toEqual(codes);
  });

  it('EACCES and the path are in the error', async (context) => {
    const nobody = demand(context, findAnotherUser());
    const ours = oursPeer(currentRuntime, nobody.before);
    const folder = tempFolder();
    const file = path.join(folder, 'x.db');
    makeDatabase(file, 'delete');
    fs.chmodSync(file, 0o666);
    fs.chmodSync(folder, 0o755);
    await ours.open(file);
    expect(await ours.ask({ op: 'run', name: 'db', sql: WRITE })).toMatchObject({
      type: 'StorageError',
      code: 'SQLITE_READONLY_DIRECTORY',
      errno: 'EACCES',
      path: `${file}-journal`,
    });
    const missing = path.join(folder, 'new.db');
    expect(await ours.ask({ op: 'open', name: 'new', path: missing })).toMatchObject({
      type: 'StorageError',
      code: 'SQLITE_CANTOPEN',
      errno: 'EACCES',
      path: missing,
    });
    fs.chmodSync(folder, 0o700);
    expect(await ours.ask({ op: 'open', name: 'hidden', path: file })).toMatchObject({ type: 'StorageError', errno: 'EACCES' });
  });
});

describe('on a file system mounted readonly', () => {
  it('a database in rollback mode is read, and refuses to be written, as it does for native', async (context) => {
    const python = demand(context, findPython());
    const folder = demand(context, smallDisk(1 << 20));
    const file = path.join(folder, 'x.db');
    makeDatabase(file, 'delete');
    makeReadonly(folder);
    const [native, ours] = [nativePeer(python), oursPeer()];
    expect(await codesOf(ours, file)).toEqual([[[1]], 'SQLITE_READONLY']);
    expect(await codesOf(native, file)).toEqual([[[1]], 'SQLITE_READONLY']);
  });

  it('a database in WAL mode cannot be read, and the error says which file could not be made', async (context) => {
    const python = demand(context, findPython());
    const folder = demand(context, smallDisk(1 << 20));
    const file = path.join(folder, 'x.db');
    makeDatabase(file, 'wal');
    makeReadonly(folder);
    const [native, ours] = [nativePeer(python), oursPeer()];
    expect((await codesOf(native, file))[0]).toMatch(/^SQLITE_CANTOPEN/);
    await ours.open(file);
    // Native keeps this code for EACCES; it fits here as well, and says more than "unable to open".
    expect(await ours.ask({ op: 'run', name: 'db', sql: READ })).toMatchObject({
      type: 'StorageError',
      code: 'SQLITE_READONLY_DIRECTORY',
      errno: 'EROFS',
      path: `${file}-wal`,
    });
  });

  it('a new database cannot be made', async (context) => {
    const folder = demand(context, smallDisk(1 << 20));
    makeReadonly(folder);
    const file = path.join(folder, 'new.db');
    const refused = { name: 'StorageError', code: 'SQLITE_CANTOPEN', errno: 'EROFS', path: file };
    expect(() => openSync(file)).toThrow(expect.objectContaining(refused));
  });
});

describe('what is no file', () => {
  it('a folder as the database is EISDIR', () => {
    const folder = tempFolder();
    const refused = { name: 'StorageError', code: 'SQLITE_CANTOPEN_ISDIR', errno: 'EISDIR', path: folder };
    for (const options of [{}, { readonly: true }, { create: false }])
      expect(() => openSync(folder, options)).toThrow(expect.objectContaining(refused));
  });

  it.for([
    ['delete', '-journal'],
    ['wal', '-wal'],
  ] as const)(
    'a folder in the place of a sidecar, in %s mode, ends as it does for native',
    async ([journal, suffix], context) => {
      const python = demand(context, findPython());
      const file = path.join(tempFolder(), 'x.db');
      makeDatabase(file, journal);
      fs.mkdirSync(file + suffix);
      const [native, ours] = [nativePeer(python), oursPeer()];
      const expected = await codesOf(native, file);
      expect(expected[1]).toMatch(/^SQLITE_/);
      // Ours says in its code that it was a folder.
      const own = expected.map((answer) => (answer === 'SQLITE_CANTOPEN' ? 'SQLITE_CANTOPEN_ISDIR' : answer));
      expect(await codesOf(ours, file)).toEqual(own);
      fs.rmdirSync(file + suffix);
      expect(await codesOf(ours, file)).toEqual([[[1]], []]);
    },
  );
});
