// `holdfast journal`: what it shows, what it converts, what it refuses, and with which exit status.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { nativePeer } from '../../support/peer.ts';
import { openSync } from '../../support/runtimes.ts';
import { sidecarsOf, tempFolder } from '../../support/temp-folder.ts';
import { demand, findPython } from '../../support/tools.ts';
import { holdfast } from './command.ts';

/** A home with a database and, if given, a configuration. */
function home(journal: 'wal' | 'delete', config?: string): { folder: string; file: string } {
  const folder = tempFolder();
  const file = path.join(folder, 'state.db');
  openSync(file, { journal }).exec('CREATE TABLE t (x); INSERT INTO t VALUES (1)').close();
  if (config !== undefined) fs.writeFileSync(path.join(folder, 'config.yaml'), config);
  return { folder, file };
}

function json(args: string[]) {
  const { status, out, err } = holdfast(['journal', ...args, '--json']);
  return { status, err, report: JSON.parse(out) };
}

function stateOf(folder: string): string {
  const entries = fs.readdirSync(folder).sort();
  return JSON.stringify(
    entries.map((name) => {
      const { ino, mtimeMs, size } = fs.statSync(path.join(folder, name));
      return [name, ino, mtimeMs, size];
    }),
  );
}

describe('journal FILE', () => {
  it('shows configured, effective and advised mode, and changes nothing', () => {
    const { folder, file } = home('wal', 'database:\n  journal_mode: wal\n');
    const before = stateOf(folder);
    const { status, out, err } = holdfast(['journal', file]);
    expect(out).toMatch(/configured\s+wal \(.*config\.yaml\)\n\s+effective\s+wal .*2\/2.*\n\s+advised\s+wal: /);
    expect([status, err]).toEqual([0, '']);
    const { report } = json([file]);
    expect(report).toMatchObject({ path: file, configured: 'wal', effective: 'wal', advised: 'wal', findings: [] });
    expect(report.ground).toMatchObject({ class: 'native', walSafe: true });
    expect(stateOf(folder)).toBe(before);
  });

  it('tells when delete is configured but WAL is in effect, and who holds the file', async (context) => {
    const python = demand(context, findPython());
    const { folder, file } = home('wal', 'database: {journal_mode: delete}');
    const free = holdfast(['journal', file]);
    expect(free.status).toBe(1);
    expect(free.err).toMatch(/ERROR: .*delete is configured, but wal is in effect; nobody .*To do: .*holdfast journal .* delete/);
    const native = nativePeer(python);
    await native.open(file);
    await native.rows('SELECT * FROM t');
    const held = json([file, '--home', folder]);
    expect(held.status).toBe(1);
    expect(held.report.findings[0].message).toContain(`process ${native.pid} `);
  });

  it('finds the configuration of a home for stores below it, and reports an invalid value', () => {
    const { folder } = home('wal', 'database:\n  journal_mode: wall\n  nonsense: 1\n');
    const board = path.join(folder, 'kanban', 'boards', 'b');
    fs.mkdirSync(board, { recursive: true });
    const file = path.join(board, 'kanban.db');
    openSync(file, { journal: 'delete' }).exec('CREATE TABLE t (x)').close();
    const { status, report } = json([file]);
    expect(report).toMatchObject({ configured: null, configFile: path.join(folder, 'config.yaml'), effective: 'rollback' });
    expect(report.findings.map(({ code }: { code: string }) => code)).toEqual(['config-invalid-value', 'config-unknown-key']);
    expect(status).toBe(1);
  });

  it.each([
    ['is missing', 'missing.db', /no such file/],
    ['is a folder', '.', /not a regular file/],
    ['is empty text', '', /FILE is empty/],
  ])('that %s is wrong usage', (_, name, message) => {
    const { folder } = home('wal');
    const { status, err } = holdfast(['journal', name && path.join(folder, name)]);
    expect(status).toBe(2);
    expect(err).toMatch(message);
    expect(fs.existsSync(path.join(folder, 'missing.db'))).toBe(false);
  });

  it('cannot tell for what is no database', () => {
    const file = path.join(tempFolder(), 'x.db');
    fs.writeFileSync(file, 'hello'.repeat(100));
    const { status, out } = holdfast(['journal', file]);
    expect(out).toMatch(/effective\s+unknown: this is not the header/);
    expect(status).toBe(2);
  });
});

describe('journal FILE MODE', () => {
  it('converts both ways and reads back pragma and header', () => {
    const { file } = home('wal');
    const away = json([file, 'delete']);
    expect(away.status).toBe(0);
    expect(away.report).toMatchObject({
      path: file,
      from: 'wal',
      to: 'delete',
      changed: true,
      pragma: 'delete',
      header: 'rollback',
    });
    expect([...fs.readFileSync(file).subarray(18, 20)]).toEqual([1, 1]);
    const back = holdfast(['journal', file, 'wal']);
    expect(back.status).toBe(0);
    expect(back.out).toMatch(/converted from a rollback journal \(DELETE\) to WAL/);
    const again = holdfast(['journal', file, 'wal']);
    expect(again.status).toBe(0);
    expect(again.err).not.toMatch(/WARNING|ERROR/);
    expect(again.out).toMatch(/has WAL already/);
    expect(sidecarsOf(file)).toEqual([]);
    expect(openSync(file).prepare('SELECT x FROM t').pluck().all()).toEqual([1]);
  });

  it('says so when the configuration wants the other mode', () => {
    const { file } = home('wal', 'database: {journal_mode: wal}');
    const { status, err } = holdfast(['journal', file, 'delete']);
    expect(status).toBe(0);
    expect(err).toMatch(/WARNING: .*still says database\.journal_mode: wal/);
  });

  it('refuses while somebody holds the file, names him, and changes nothing', async (context) => {
    const native = nativePeer(demand(context, findPython()));
    const { folder, file } = home('delete');
    await native.open(file);
    await native.rows('BEGIN');
    await native.rows('SELECT * FROM t');
    const before = stateOf(folder);
    const told = holdfast(['journal', file, 'wal']);
    expect(told).toMatchObject({ status: 1, out: '' });
    expect(told.err).toMatch(new RegExp(`in use.*process ${native.pid} .*python.*holds SHARED`));
    const { status, report } = json([file, 'wal']);
    expect(status).toBe(1);
    expect(report.error).toMatchObject({ code: 'HOLDFAST_HELD', holders: [{ pid: native.pid }] });
    expect(stateOf(folder)).toBe(before);
  });

  it.each([
    ['an unknown mode', ['truncate'], /Allowed choices are delete, wal/],
    ['--force without wal', ['delete', '--force'], /--force is for the conversion to wal/],
    ['--force without a mode', ['--force'], /--force is for the conversion to wal/],
  ])('%s is wrong usage', (_, args, message) => {
    const { status, err } = holdfast(['journal', home('wal').file, ...args]);
    expect(status).toBe(2);
    expect(err).toMatch(message);
  });
});
