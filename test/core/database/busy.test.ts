// Waiting for a lock that somebody else holds, and what the error says.

import { expect, it } from 'vitest';
import { DatabaseLockedError } from '../../../core/error.ts';
import type { Finding } from '../../../vfs/finding.ts';
import { failure } from '../../support/failure.ts';
import { tempPath } from '../../support/temp-folder.ts';
import { onBothEngines } from './on-both-engines.ts';

function busyError(run: () => unknown): DatabaseLockedError {
  const error = failure(run);
  expect(error).toBeInstanceOf(DatabaseLockedError);
  return error as DatabaseLockedError;
}

onBothEngines('a held lock', ({ open }) => {
  it('is not waited for with a timeout of 0, and is named', () => {
    const file = tempPath();
    const holder = open(file, { journal: 'delete' });
    holder.exec('CREATE TABLE t (x); BEGIN IMMEDIATE');
    const other = open(file, { timeout: 0 });
    const error = busyError(() => other.exec('BEGIN IMMEDIATE'));
    expect(error).toMatchObject({ code: 'SQLITE_BUSY', lock: 'RESERVED', waitedMs: 0, path: file });
    expect(error.message).toMatch(/RESERVED lock.*not waited/);
    expect(error.message).toContain(file);
    holder.exec('COMMIT; BEGIN EXCLUSIVE');
    expect(busyError(() => other.prepare('SELECT * FROM t').all()).lock).toMatch(/PENDING|SHARED/);
    holder.exec('ROLLBACK');
    expect(other.prepare('SELECT * FROM t').all()).toEqual([]);
  });

  it('is waited for as long as was asked for, and the error says how long that was', () => {
    const file = tempPath();
    const holder = open(file, { journal: 'wal' });
    holder.exec('CREATE TABLE t (x); BEGIN IMMEDIATE');
    const other = open(file, { timeout: 60 });
    const error = busyError(() => other.exec('BEGIN IMMEDIATE'));
    expect(error.lock).toBe('WAL-write');
    // Within the jitter of its dozen pauses.
    expect(error.waitedMs).toBeGreaterThan(44);
    expect(error.message).toMatch(/waited \d+ ms/);
    expect(other.pragma('busy_timeout', { simple: true })).toBe(60);
    expect(other.pragma('busy_timeout = 5', { simple: true })).toBe(5);
    expect(busyError(() => other.exec('BEGIN IMMEDIATE')).waitedMs).toBeLessThan(error.waitedMs as number);
    holder.exec('ROLLBACK');
  });

  it('behind a read that became old is a snapshot that can never write', () => {
    const file = tempPath();
    const reader = open(file, { journal: 'wal', timeout: 0 });
    reader.exec('CREATE TABLE t (x); BEGIN; SELECT * FROM t');
    open(file).exec('INSERT INTO t VALUES (1)').close();
    const error = busyError(() => reader.exec('INSERT INTO t VALUES (2)'));
    expect(error.code).toBe('SQLITE_BUSY_SNAPSHOT');
    expect(error.hint).toMatch(/BEGIN IMMEDIATE/);
    reader.exec('ROLLBACK');
  });

  it('keeps the switch to WAL from having an effect, which is told and is no failure', () => {
    const file = tempPath();
    const holder = open(file, { journal: 'delete' });
    holder.exec('CREATE TABLE t (x); BEGIN IMMEDIATE');
    const told: Finding[] = [];
    const other = open(file, { journal: 'wal', timeout: 40, onFinding: (finding) => told.push(finding) });
    expect(told.map(({ code }) => code)).toEqual(['journal-upgrade', 'journal-mode-not-in-effect']);
    expect(told[1]).toMatchObject({ severity: 'error', path: file });
    expect(told[1]?.message).toMatch(/wal is configured, but delete is in effect.*RESERVED/);
    expect(other.info.journalMode).toBe('delete');
    holder.exec('ROLLBACK');
    expect(open(file, { journal: 'wal', onFinding: () => {} }).info.journalMode).toBe('wal');
  });

  it('is given up at once when another thread says so', () => {
    const file = tempPath();
    const interrupt = new Int32Array(new SharedArrayBuffer(4));
    const holder = open(file, { journal: 'delete' });
    holder.exec('CREATE TABLE t (x); BEGIN IMMEDIATE');
    const other = open(file, { timeout: 86_400_000, interrupt });
    interrupt[0] = 1;
    expect(() => other.exec('BEGIN IMMEDIATE')).toThrow(/interrupted.*RESERVED lock/);
    interrupt[0] = 0;
    holder.exec('ROLLBACK');
    expect(other.exec('BEGIN IMMEDIATE').inTransaction).toBe(true);
    other.exec('ROLLBACK');
  });
});
