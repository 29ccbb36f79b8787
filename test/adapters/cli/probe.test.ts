// The command `holdfast probe`: real processes, signals, real mounts; and the folder afterwards.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProbeReport } from '../../../vfs/probe/report.ts';
import { findAnotherUser, NOBODY } from '../../support/another-user.ts';
import { type Child, startChild } from '../../support/child.ts';
import { findMount, shellInMount } from '../../support/mounts.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { demand } from '../../support/tools.ts';
import { cliCommand, holdfast, shellQuoted } from './command.ts';

const KEYS = [
  'path',
  'resolved',
  'mode',
  'verdict',
  'exit',
  'summary',
  'advice',
  'notTested',
  'notes',
  'mount',
  'alone',
  'exchange',
];
const FACTS = [
  'us',
  'them',
  'sameKernel',
  'waitedMs',
  'nameMs',
  'exclusiveCreate',
  'makeDirectory',
  'replacement',
  'locks',
  'writes',
  'mapping',
  'memory',
];

function json(text: string): ProbeReport {
  return JSON.parse(text) as ProbeReport;
}

async function until<T>(what: () => T | undefined): Promise<T> {
  for (let tries = 0; tries < 20_000; tries++) {
    const found = what();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error('It did not happen');
}

/** A name of a probe in the folder. */
function trace(folder: string, part: string): string | undefined {
  return fs.readdirSync(folder).find((name) => name.startsWith('.holdfast-probe-') && name.includes(part));
}

function empty(folder: string): true | undefined {
  return fs.readdirSync(folder).length === 0 ? true : undefined;
}

function startPeer(folder: string): Child {
  return startChild([...cliCommand, 'probe', folder, '--peer', '--json']);
}

async function reportOf(child: Child): Promise<ProbeReport> {
  return json((await child.rest()).join('\n'));
}

describe('holdfast probe DIR', () => {
  it('proves with a second process what works here, and leaves the folder as it was', () => {
    const folder = tempFolder();
    fs.writeFileSync(path.join(folder, 'app.db'), '');
    const { status, out, err } = holdfast(['probe', folder, '--json']);
    const report = json(out);
    expect(Object.keys(report)).toEqual(KEYS);
    expect(Object.keys(report.exchange ?? {})).toEqual(FACTS);
    // The verdict depends on what tests run on; the facts of two processes of one kernel do not.
    expect(report).toMatchObject({ mode: 'one-side', ...(report.mount.walSafe ? ALL_HOLDS : ONE_SIDE_ONLY) });
    expect(report.exchange).toMatchObject({
      sameKernel: report.exchange?.us?.kernel === null ? null : true,
      locks: { ours: { outcome: 'excludes' }, theirs: { outcome: 'excludes' } },
      memory: { ours: { outcome: 'seen' }, theirs: { outcome: 'seen' } },
    });
    expect(status).toBe(report.exit);
    expect(err).toBe('');
    expect(fs.readdirSync(folder)).toEqual(['app.db']);
  });

  it('says its verdict first, then facts, and what it did not test', () => {
    const folder = tempFolder();
    const { out } = holdfast(['probe', folder]);
    expect(out.split('\n')[0]).toMatch(/^Everything that WAL needs works between two processes on this side.*\.$/);
    expect(out).toMatch(/^ {2}locks +exclude both ways$/m);
    expect(out).toMatch(/Not tested\n {2}- what crosses to another machine/);
    expect(out).not.toMatch(/undefined|null|NaN|\[object/);
  });

  it('takes a folder name that looks like an option, or holds control characters', () => {
    const folder = tempFolder();
    const odd = path.join(folder, '-x\u001b[2J 数据');
    fs.mkdirSync(odd);
    const { status, out } = holdfast(['probe', odd]);
    expect([0, 2]).toContain(status);
    expect(out).toContain('locks');
    expect(out).not.toContain('\u001b');
    const inside = holdfast(['probe', '--json', '--', path.basename(odd)], { cwd: folder });
    expect(json(inside.out).resolved).toBe(odd);
    expect(fs.readdirSync(odd)).toEqual([]);
  });

  it.each([
    ['a file', (folder: string) => path.join(folder, 'app.db'), /is not a folder/],
    ['what does not exist', (folder: string) => path.join(folder, 'none'), /no such file.*ENOENT/],
    ['a folder without room for names', () => '/proc', /Making a folder in \/proc failed/],
  ])('could not tell of %s', (_, choose, says) => {
    const folder = tempFolder();
    fs.writeFileSync(path.join(folder, 'app.db'), 'x');
    const { status, out } = holdfast(['probe', choose(folder), '--json']);
    expect(status).toBe(2);
    expect(json(out)).toMatchObject({ verdict: 'folder-failed', exit: 2, exchange: null });
    expect(json(out).summary).toMatch(says);
    expect(fs.readdirSync(folder)).toEqual(['app.db']);
  });

  it.each([
    [['probe']],
    [['probe', '']],
    [['probe', '.', '--timeout', '5']],
    [['probe', '.', '--peer', '--timeout', 'soon']],
    [['probe', '.', '--peer', '--timeout', '-1']],
    [['probe', '.', '--peer', '--timeout', '99999']],
    [['probe', '.', '--second', 'x']],
  ])('refuses %j as wrong usage', (args) => {
    const { status, out, err } = holdfast(args, { cwd: tempFolder() });
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toMatch(/^holdfast: /);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('cleans up on %s, together with its second process', async (signal) => {
    const folder = tempFolder();
    const child = startChild([...cliCommand, 'probe', folder]);
    await until(() => trace(folder, '.with-'));
    process.kill(child.pid, signal);
    expect(await child.ended).toBe(signal);
    expect(await child.rest()).toEqual([]);
    await until(() => empty(folder));
  });
});

const ALL_HOLDS = { verdict: 'all-holds', exit: 0 };
const ONE_SIDE_ONLY = { verdict: 'one-side-only', exit: 2 };

describe('holdfast probe DIR --peer', () => {
  it('meets another one in the folder, and both prove that everything crosses', async () => {
    const folder = tempFolder();
    const children = [startPeer(folder), startPeer(folder)];
    const reports = await Promise.all(children.map(reportOf));
    expect(await Promise.all(children.map((child) => child.ended))).toEqual([0, 0]);
    for (const report of reports) {
      expect(report).toMatchObject({ mode: 'peer', verdict: 'all-crosses', exit: 0, notes: [] });
      expect(Object.keys(report)).toEqual(KEYS);
    }
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('says that no other side came, in time', () => {
    const folder = tempFolder();
    const { status, out, err } = holdfast(['probe', folder, '--peer', '--timeout', '0.5']);
    expect(status).toBe(2);
    expect(out).toMatch(/^No other side came within 0\.5 s\.\n/);
    expect(out).toMatch(/Not tested\n {2}- everything that takes two sides/);
    expect(err).toMatch(/waiting up to 0\.5 s/);
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('cleans up when it is interrupted while it waits', async () => {
    const folder = tempFolder();
    const child = startPeer(folder);
    await until(() => trace(folder, '.beat-'));
    process.kill(child.pid, 'SIGINT');
    expect(await child.ended).toBe('SIGINT');
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('ends when the other side is killed in the midst of it, and removes what that left', async () => {
    const folder = tempFolder();
    const [killed, left] = [startPeer(folder), startPeer(folder)];
    // Both have begun to talk.
    await until(() => fs.readdirSync(path.join(folder, trace(folder, '.with-') ?? '')).find((name) => name.startsWith('b.1.')));
    await killed.kill();
    const report = await reportOf(left);
    expect(report).toMatchObject({ verdict: 'peer-silent', exit: 2 });
    expect(report.summary).toMatch(/fell silent/);
    expect(await left.ended).toBe(2);
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  for (const kind of ['bindfs', 'bindfs-virtiofs', 'bindfs-direct'] as const)
    it(`says that no lock crosses between ${kind} and the folder behind it`, (context) => {
      const mount = demand(context, findMount(kind));
      const probe = shellQuoted([...cliCommand, 'probe', '--peer', '--json']);
      const line = `cd /; ${probe} "$BACKING" > "$BACKING/../back.json" & ${probe} "$MOUNT"; echo "== $?"; wait $!; echo "== $?"; cat "$BACKING/../back.json"; echo "== $(ls -A "$BACKING")"`;
      const { out, err } = shellInMount(mount, line);
      const [there, status, statusOfBacking = '', left] = out.split('== ') as [string, string, string, string];
      expect([status, statusOfBacking.split('\n')[0], left], err).toEqual(['1\n', '1', '\n']);
      const here = json(statusOfBacking.slice(statusOfBacking.indexOf('\n')));
      for (const report of [here, json(there)]) {
        expect(report).toMatchObject({ verdict: 'no-lock-crosses', exit: 1 });
        expect(report.summary).toMatch(/^No lock crosses: neither WAL nor a rollback journal is safe/);
        expect(report.exchange?.locks).toEqual({ ours: { outcome: 'ignored' }, theirs: { outcome: 'ignored' } });
        expect(report.exchange?.exclusiveCreate).toMatchObject({ outcome: 'exclusive' });
      }
      if (kind === 'bindfs-direct')
        expect(here.exchange?.mapping?.theirs).toEqual({ outcome: 'failed', call: 'mmap', errno: 'ENODEV' });
      else expect(here.exchange?.memory?.ours).toEqual({ outcome: 'unseen', withinMs: 2000 });
    });

  it('does not take a mount that others may share for proven when one side alone tried it', (context) => {
    const mount = demand(context, findMount('bindfs'));
    const { status, out } = shellInMount(mount, `${shellQuoted([...cliCommand, 'probe', '--json'])} "$MOUNT"`);
    expect({ status, ...json(out) }).toMatchObject({ status: 2, verdict: 'one-side-only', mount: { class: 'fuse' } });
  });

  it('says that a file cannot be mapped, and that rollback mode works', (context) => {
    const mount = demand(context, findMount('bindfs-direct'));
    const { status, out } = shellInMount(mount, `${shellQuoted([...cliCommand, 'probe'])} "$MOUNT"`);
    expect(status).toBe(1);
    expect(out).toMatch(
      /cannot be mapped here \(ENODEV\): WAL cannot be opened there, which fails safe; a rollback journal works/,
    );
  });

  it('can be run by a user with rights in the folder only, beside root', async (context) => {
    const { before } = demand(context, findAnotherUser());
    const folder = tempFolder();
    fs.chownSync(folder, NOBODY, NOBODY);
    const children = [startPeer(folder), startChild([...before, ...cliCommand, 'probe', folder, '--peer', '--json'])];
    const reports = await Promise.all(children.map(reportOf));
    expect(reports.map((report) => report.verdict)).toEqual(['all-crosses', 'all-crosses']);
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('says that this user may not make files', (context) => {
    const { before } = demand(context, findAnotherUser());
    const folder = tempFolder();
    fs.chmodSync(folder, 0o755);
    const [file = '', ...parameters] = [...before, ...cliCommand, 'probe', folder];
    const { status, stdout } = spawnSync(file, parameters, { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stdout).toMatch(/^Making a folder in .* failed: permission denied \(EACCES\)\./);
  });
});
