// The ladder of guarantees: what happens on a file system without shared mappings, and on one without locks.

import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startRuntime } from '../../../adapters/node/start.ts';
import { Database } from '../../../core/database/database.ts';
import type { OpenOptions } from '../../../core/database/options.ts';
import { LockingError } from '../../../core/error.ts';
import { Errnos } from '../../../vfs/errno.ts';
import type { Host } from '../../../vfs/host.ts';
import { failure } from '../../support/failure.ts';
import { openSync } from '../../support/runtimes.ts';
import { sidecarsOf, tempPath } from '../../support/temp-folder.ts';
import { flavour } from '../engine/engines.ts';

/** An engine on this machine's host, some of whose calls answer otherwise. */
function opener(change: (host: Host) => void): (path: string, options?: OpenOptions) => Database {
  const runtime = startRuntime({
    ...flavour,
    makeHost: (libc, platform) => {
      const host = flavour.makeHost(libc, platform);
      change(host);
      return host;
    },
  });
  return (path, options = {}) => new Database(runtime, path, options);
}

const quiet: OpenOptions = { onFinding: () => {} };

function walDatabase(): string {
  const file = tempPath();
  const db = openSync(file, { journal: 'wal' });
  db.exec('CREATE TABLE t (x); INSERT INTO t VALUES (1)');
  db.close();
  return file;
}

const errnos = new Errnos(process.platform === 'darwin' ? 'darwin' : 'linux');

describe('without shared mappings', () => {
  const open = opener((host) => {
    host.probeMap = () => -errnos.number('ENODEV');
  });

  it('a new database gets a rollback journal, and WAL is refused before the header is touched', () => {
    const file = tempPath();
    const db = open(file, quiet);
    db.exec('CREATE TABLE t (x)');
    expect(db.info).toMatchObject({ rung: 'rollback', journalMode: 'delete' });
    expect(db.info.findings).toMatchObject([{ severity: 'warning', code: 'rollback-instead-of-wal', path: file }]);
    expect(db.pragma('journal_mode = wal', { simple: true })).toBe('delete');
    db.close();
    const before = fs.readFileSync(file);
    const asked = open(file, { ...quiet, journal: 'wal' });
    expect(asked.info.findings.map(({ code }) => code)).toEqual(['rollback-instead-of-wal']);
    expect(asked.info.journalMode).toBe('delete');
    asked.close();
    const error = failure(() => open(file, { requireWal: true }));
    expect(error).toBeInstanceOf(LockingError);
    expect(error.message).toContain(file);
    expect(Buffer.compare(fs.readFileSync(file), before)).toBe(0);
  });

  it('a WAL database that nobody uses goes back to a rollback journal, and says so', () => {
    const file = walDatabase();
    const db = open(file, quiet);
    expect(db.info).toMatchObject({ rung: 'rollback', journalMode: 'delete' });
    expect(db.info.findings).toMatchObject([{ severity: 'warning', code: 'left-wal' }]);
    expect(db.info.findings[0]?.message).toMatch(/was in WAL mode.*converted/);
    const native = openSync(file);
    expect(native.info.journalMode).toBe('delete');
    native.exec('INSERT INTO t VALUES (2)');
    native.close();
    expect(db.prepare('SELECT x FROM t').pluck().all()).toEqual([1, 2]);
    db.close();
    expect(sidecarsOf(file)).toEqual([]);
  });

  it('a WAL database is left as it is where that was asked for, and requireWal is an error', () => {
    const file = walDatabase();
    for (const options of [{ journal: 'keep' }, { requireWal: true }, { requireWal: true, trustMount: true }] as const)
      expect(failure(() => open(file, { ...quiet, ...options })).code).toBe('HOLDFAST_WAL_UNUSABLE');
    expect([...fs.readFileSync(file).subarray(18, 20)]).toEqual([2, 2]);
    const db = openSync(file, { journal: 'keep' });
    expect(db.info.journalMode).toBe('wal');
    db.close();
  });

  it('a WAL database that somebody has open, or whose WAL has content, or that is readonly, is left alone', () => {
    const file = walDatabase();
    const holder = openSync(file);
    holder.prepare('SELECT * FROM t').all();
    expect(failure(() => open(file, { timeout: 0 })).code).toMatch(/SQLITE_BUSY|HOLDFAST_WAL_UNUSABLE/);
    holder.exec('INSERT INTO t VALUES (2)');
    expect(failure(() => open(file, { timeout: 0 }))).toMatchObject({ code: 'HOLDFAST_WAL_UNUSABLE', path: file });
    holder.close();
    const error = failure(() => open(file, { readonly: true }));
    expect(error).toMatchObject({ code: 'HOLDFAST_WAL_UNUSABLE' });
    expect(error.message).toMatch(/readonly/);
    const after = openSync(file);
    expect(after.info.journalMode).toBe('wal');
    expect(after.prepare('SELECT x FROM t').pluck().all()).toEqual([1, 2]);
    after.close();
  });
});

describe.each(['ENOSYS', 'EINVAL', 'ENOLCK', 'EOPNOTSUPP'])('where locks answer %s', (name) => {
  const open = opener((host) => {
    host.lock = () => -errnos.number(name);
    host.heldBy = () => -errnos.number(name);
  });

  it('nothing runs, and the error names locking, the errno and the file', () => {
    const file = tempPath();
    const db = open(file);
    const error = failure(() => db.exec('CREATE TABLE t (x)'));
    expect(error).toBeInstanceOf(LockingError);
    expect(error).toMatchObject({ errno: name, syscall: 'fcntl(F_OFD_SETLK)', path: file });
    expect(error.message).toMatch(/locking does not work/);
    expect(error.hint).toMatch(/dotfile/);
    db.close();
    expect(fs.statSync(file).size).toBe(0);
    const byFolder = open(file, { locking: 'dotfile' });
    byFolder.exec('CREATE TABLE t (x)');
    expect(byFolder.info.rung).toBe('dotfile');
    byFolder.close();
    expect(fs.existsSync(`${file}.lock`)).toBe(false);
  });
});

describe('a defect in a host', () => {
  it('becomes an error of the statement, and never an exception inside C', () => {
    let broken = false;
    const open = opener((host) => {
      const { size } = host;
      host.size = (fd) => {
        if (broken) throw new TypeError('a bug');
        return size.call(host, fd);
      };
    });
    const db = open(tempPath(), { journal: 'keep' });
    db.exec('CREATE TABLE t (x)');
    broken = true;
    const error = failure(() => db.exec('INSERT INTO t VALUES (1)'));
    expect(error.code).toBe('SQLITE_IOERR_FSTAT');
    expect(error.message).toMatch(/a bug/);
    broken = false;
    db.exec('INSERT INTO t VALUES (2)');
    expect(db.prepare('SELECT x FROM t').pluck().all()).toEqual([2]);
    db.close();
  });
});
