// Sidecars take the database's mode, whatever the umask, and as root its owner: else its users lock themselves out.

import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSync } from '../support/runtimes.ts';
import { sidecarsOf, tempPath } from '../support/temp-folder.ts';
import { demand, findRoot } from '../support/tools.ts';

const OWNER = 12345;
const GROUP = 54321;

function modeOf(file: string): string {
  return (fs.statSync(file).mode & 0o7777).toString(8);
}

describe('sidecars of a database of mode 0660 while the umask is 077', () => {
  let umask: number;
  beforeEach(() => {
    umask = process.umask(0o077);
  });
  afterEach(() => void process.umask(umask));

  function makeDatabase(journal: 'wal' | 'delete'): string {
    const path = tempPath();
    openSync(path, { journal }).exec('CREATE TABLE t (x)').close();
    fs.chmodSync(path, 0o660);
    return path;
  }

  it.each([
    ['delete', ['-journal']],
    ['wal', ['-wal', '-shm']],
  ] as const)('have its mode in %s mode', (journal, expected) => {
    const path = makeDatabase(journal);
    const db = openSync(path);
    db.exec('BEGIN IMMEDIATE; INSERT INTO t VALUES (1)');
    expect(sidecarsOf(path)).toEqual(expected);
    for (const sidecar of expected) expect([sidecar, modeOf(path + sidecar)]).toEqual([sidecar, '660']);
    db.exec('COMMIT');
    db.close();
  });

  it.for([
    ['delete', ['-journal']],
    ['wal', ['-wal', '-shm']],
  ] as const)('have its owner in %s mode, made by root', ([journal, expected], context) => {
    demand(context, findRoot());
    const path = makeDatabase(journal);
    fs.chownSync(path, OWNER, GROUP);
    const db = openSync(path);
    db.exec('BEGIN IMMEDIATE; INSERT INTO t VALUES (1)');
    for (const sidecar of expected) {
      const { uid, gid } = fs.statSync(path + sidecar);
      expect([sidecar, uid, gid, modeOf(path + sidecar)]).toEqual([sidecar, OWNER, GROUP, '660']);
    }
    db.exec('COMMIT');
    db.close();
    expect(sidecarsOf(path)).toEqual([]);
  });

  it('a new database itself obeys the umask', () => {
    const path = tempPath();
    openSync(path).exec('CREATE TABLE t (x)').close();
    expect(modeOf(path)).toBe('600');
  });
});
