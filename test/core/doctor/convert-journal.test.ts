// The offline conversion: what it does to the file, when it refuses, and that no row is lost on the way.

import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startRuntime } from '../../../adapters/node/start.ts';
import { convertJournal } from '../../../core/doctor/convert-journal.ts';
import { DatabaseLockedError, StorageError } from '../../../core/error.ts';
import { crashDatabase, EXPECTED, FACTS } from '../../support/crashed-database.ts';
import { failure } from '../../support/failure.ts';
import { nativePeer, oursPeer } from '../../support/peer.ts';
import { currentRuntime, openSync } from '../../support/runtimes.ts';
import { sidecarsOf, tempPath } from '../../support/temp-folder.ts';
import { demand, findPython } from '../../support/tools.ts';
import { flavour } from '../engine/engines.ts';

const runtime = startRuntime(flavour);

function convert(file: string, target: 'wal' | 'delete') {
  return convertJournal(runtime, file, target, false);
}

function database(journal: 'wal' | 'delete'): string {
  const file = tempPath();
  openSync(file, { journal }).exec('CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)').close();
  return file;
}

/** Bytes 18 and 19: 1/1 is a rollback journal, 2/2 is WAL. */
function versions(file: string): number[] {
  return [...fs.readFileSync(file).subarray(18, 20)];
}

function rows(file: string): unknown[] {
  const db = openSync(file, { readonly: true });
  const all = db.prepare('SELECT x FROM t ORDER BY x').pluck().all();
  db.close();
  return all;
}

describe('a database that nobody has open', () => {
  it('is converted to a rollback journal and back, and reports what the file says', () => {
    const file = database('wal');
    expect(convert(file, 'delete')).toMatchObject({
      path: file,
      from: 'wal',
      pragma: 'delete',
      header: 'rollback',
      changed: true,
    });
    expect(versions(file)).toEqual([1, 1]);
    expect(sidecarsOf(file)).toEqual([]);
    expect(convert(file, 'wal')).toMatchObject({ path: file, from: 'rollback', pragma: 'wal', header: 'wal', changed: true });
    expect(versions(file)).toEqual([2, 2]);
    expect(sidecarsOf(file)).toEqual([]);
    expect(rows(file)).toEqual([1, 2]);
  });

  it('is left as it is when it has the mode already', () => {
    for (const [journal, target] of [
      ['wal', 'wal'],
      ['delete', 'delete'],
    ] as const) {
      const file = database(journal);
      const before = fs.readFileSync(file);
      expect(convert(file, target)).toMatchObject({ changed: false, pragma: target });
      expect(before.equals(fs.readFileSync(file))).toBe(true);
    }
  });

  it('with a WAL that a crash left behind keeps every committed row', async (context) => {
    const file = tempPath();
    await crashDatabase(file, 'abandoned-wal', { native: demand(context, findPython()) });
    expect(convert(file, 'delete')).toMatchObject({ from: 'wal', header: 'rollback' });
    expect(sidecarsOf(file)).toEqual([]);
    expect(openSync(file).prepare(FACTS).raw().get()).toEqual(EXPECTED['abandoned-wal']);
  });

  it('with a hot journal is rolled back first', async () => {
    const file = tempPath();
    await crashDatabase(file, 'hot-journal', { ours: currentRuntime });
    expect(convert(file, 'wal')).toMatchObject({ from: 'rollback', header: 'wal' });
    expect(openSync(file).prepare(FACTS).raw().get()).toEqual(EXPECTED['hot-journal']);
  });

  it('whose WAL holds data while the file is empty is refused, and the WAL stays', () => {
    const file = tempPath();
    fs.writeFileSync(file, '');
    fs.writeFileSync(`${file}-wal`, 'x'.repeat(5000));
    for (const target of ['wal', 'delete'] as const)
      expect(failure(() => convert(file, target)).code).toBe('HOLDFAST_ORPHAN_WAL');
    expect(fs.readFileSync(`${file}-wal`, 'utf8')).toBe('x'.repeat(5000));
  });

  it('but is none is refused as what it is', () => {
    const file = tempPath();
    fs.writeFileSync(file, 'x'.repeat(5000));
    const error = failure(() => convert(file, 'wal'));
    expect(error).toBeInstanceOf(StorageError);
    expect(error.code).toBe('SQLITE_NOTADB');
    expect(fs.readFileSync(file, 'utf8')).toBe('x'.repeat(5000));
  });
});

describe('a database that is reached in two ways', () => {
  it('by hard links is refused, because its WAL lies beside the other name', async () => {
    const file = tempPath();
    await crashDatabase(file, 'abandoned-wal', { ours: currentRuntime });
    const second = `${file}.second`;
    fs.linkSync(file, second);
    const before = fs.readFileSync(file);
    for (const target of ['wal', 'delete'] as const)
      expect(failure(() => convert(second, target)).code).toBe('HOLDFAST_HARD_LINKS');
    expect(before.equals(fs.readFileSync(file))).toBe(true);
    fs.rmSync(second);
    expect(convert(file, 'delete')).toMatchObject({ changed: true });
    expect(openSync(file).prepare(FACTS).raw().get()).toEqual(EXPECTED['abandoned-wal']);
  });
});

it('a file without a page stays without one, and gets pages of 4096 bytes with WAL', () => {
  const file = tempPath();
  fs.writeFileSync(file, '');
  expect(convert(file, 'delete')).toMatchObject({ from: 'fresh', header: 'fresh', changed: false });
  expect(fs.statSync(file).size).toBe(0);
  expect(convert(file, 'wal')).toMatchObject({ header: 'wal', changed: true });
  expect(fs.statSync(file).size).toBe(4096);
});

const HELD: readonly [string, 'wal' | 'delete', string][] = [
  ['an idle connection', 'wal', 'SELECT * FROM t'],
  ['an idle connection', 'delete', 'SELECT * FROM t'],
  ['a reader in a transaction', 'delete', 'BEGIN; SELECT * FROM t'],
  ['a writer', 'wal', 'BEGIN IMMEDIATE'],
  ['a writer', 'delete', 'BEGIN IMMEDIATE'],
  ['an exclusive writer', 'delete', 'BEGIN EXCLUSIVE'],
];

describe.each(['native', 'ours'] as const)('a database that %s holds', (kind) => {
  it.each(HELD)('by %s in %s mode is refused with its pid, and nothing is changed', async (_, journal, script) => {
    const file = database(journal);
    const python = findPython();
    const holder = kind === 'ours' || !('found' in python) ? oursPeer() : nativePeer(python.found);
    await holder.open(file);
    for (const statement of script.split('; ')) await holder.rows(statement);
    const error = failure(() => convert(file, journal === 'wal' ? 'delete' : 'wal'));
    expect(error).toBeInstanceOf(DatabaseLockedError);
    expect(error.code).toBe('HOLDFAST_HELD');
    expect(error.message).toContain(`process ${holder.pid} `);
    expect((error as DatabaseLockedError).holders.map(({ pid }) => pid)).toEqual([holder.pid]);
    expect(versions(file)).toEqual(journal === 'wal' ? [2, 2] : [1, 1]);
    await holder.end();
    expect(convert(file, journal === 'wal' ? 'delete' : 'wal')).toMatchObject({ changed: true });
    expect(rows(file)).toEqual([1, 2]);
  });
});

it('a connection of our own process counts as well', () => {
  const file = database('wal');
  const holder = openSync(file);
  holder.prepare('SELECT * FROM t').all();
  expect(failure(() => convert(file, 'delete')).message).toMatch(/this process/);
  holder.close();
  expect(convert(file, 'delete')).toMatchObject({ changed: true });
});
