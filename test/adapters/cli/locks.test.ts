// The command `holdfast locks`: the table, the JSON, looking again and again, and its exit statuses.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { findAnotherUser } from '../../support/another-user.ts';
import { type Child, startChild } from '../../support/child.ts';
import { nativePeer, oursPeer, type Peer } from '../../support/peer.ts';
import { tempFolder, tempPath } from '../../support/temp-folder.ts';
import { demand, findPython } from '../../support/tools.ts';
import { cliCommand, holdfast, shellQuoted } from './command.ts';

async function writer(context: TestContext, file: string, mode = 'delete'): Promise<Peer> {
  const peer = nativePeer(demand(context, findPython()));
  await peer.open(file);
  await peer.script(`PRAGMA journal_mode=${mode}; CREATE TABLE t (x); INSERT INTO t VALUES (1); BEGIN IMMEDIATE`);
  return peer;
}

/** Watches as a child whose output is a pipe. */
function watching(file: string, ...options: string[]): Child {
  const child = startChild([...cliCommand, 'locks', '--watch', '--interval', '0.1', ...options, file]);
  onTestFinished(child.kill);
  return child;
}

async function lineWith(child: Child, text: string): Promise<string> {
  for (;;) {
    const line = await child.line();
    if (line.includes(text)) return line;
  }
}

describe('holdfast locks', () => {
  it('shows who has the file open and which locks he holds', async (context) => {
    const file = tempPath();
    const peer = await writer(context, file, 'wal');
    const ours = oursPeer();
    await ours.open(file);
    await ours.script('BEGIN; SELECT * FROM t');
    const { status, out } = holdfast(['locks', file]);
    expect(status).toBe(0);
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^ *pid +since +files +locks +command$/);
    const row = (pid: number) => lines.find((line) => line.trimStart().startsWith(`${pid} `)) ?? '';
    expect(row(peer.pid)).toMatch(/ main, wal, shm +POSIX SHARED, WAL-write, WAL-read 1, dead-man .*native-peer\.py/);
    expect(row(ours.pid)).toMatch(/ main, wal, shm +OFD SHARED, WAL-read 1, dead-man .*ours-peer\.mjs/);
  });

  it('says when nobody has it open, and leaves no trace', () => {
    const file = tempPath();
    fs.writeFileSync(file, '');
    const before = fs.statSync(file, { bigint: true });
    const { status, out } = holdfast(['locks', file]);
    expect(status).toBe(0);
    expect(out).toMatch(/^nobody (has|is seen to have) .*test\.db open\n/);
    expect(fs.readdirSync(path.dirname(file))).toEqual(['test.db']);
    const after = fs.statSync(file, { bigint: true });
    expect([after.atimeNs, after.mtimeNs, after.ctimeNs]).toEqual([before.atimeNs, before.mtimeNs, before.ctimeNs]);
  });

  it('gives all of it as JSON', async (context) => {
    const file = tempPath();
    const peer = await writer(context, file);
    const report = JSON.parse(holdfast(['locks', '--json', file]).out);
    expect(Object.keys(report)).toEqual(['path', 'holders', 'unattributed', 'uninspected', 'limits']);
    expect(report).toMatchObject({ path: file, unattributed: [] });
    expect(report.holders).toEqual([
      {
        pid: peer.pid,
        command: expect.stringContaining('native-peer.py'),
        startedAt: expect.any(Number),
        container: null,
        files: [{ part: 'main', lost: false }],
        locks: [
          { lock: 'RESERVED', kind: 'write', owner: 'POSIX' },
          { lock: 'SHARED', kind: 'read', owner: 'POSIX' },
        ],
      },
    ]);
  });

  it('takes a symbolic link for what it leads to', async (context) => {
    const file = tempPath();
    const peer = await writer(context, file);
    const link = path.join(tempFolder(), 'link.db');
    fs.symlinkSync(file, link);
    const report = JSON.parse(holdfast(['locks', '--json', link]).out);
    expect([report.path, report.holders[0].pid]).toEqual([file, peer.pid]);
  });

  it('ends with 1 where a process writes to a file that is not there any more', async (context) => {
    const file = tempPath();
    const peer = await writer(context, file, 'wal');
    fs.rmSync(`${file}-wal`);
    const { status, out } = holdfast(['locks', file]);
    expect(status).toBe(1);
    expect(out).toContain('wal (lost)');
    expect(out).toContain(`process ${peer.pid} uses a wal file that is not at the path any more`);
    // The main file too: then there is nothing at the path, and somebody who still writes.
    fs.rmSync(file);
    expect(holdfast(['locks', file])).toMatchObject({ status: 1, out: expect.stringContaining('main (lost)') });
    await peer.end();
    expect(holdfast(['locks', file])).toMatchObject({ status: 2, out: '', err: `holdfast: there is no file ${file}\n` });
  });

  it('ends with 2 and says why where there is nothing to look at', () => {
    const folder = tempFolder();
    expect(holdfast(['locks', folder])).toMatchObject({
      status: 2,
      out: '',
      err: expect.stringMatching(/is a directory; name the database/),
    });
    expect(holdfast(['locks', '/dev/null'])).toMatchObject({ status: 2, err: expect.stringContaining('not a regular file') });
    expect(holdfast(['locks', '/no/where/x.db'])).toMatchObject({ status: 2, err: expect.stringContaining('/no/where/x.db') });
    expect(holdfast(['locks', ''])).toMatchObject({ status: 2, err: expect.stringContaining('FILE is empty') });
    expect(holdfast(['locks'])).toMatchObject({ status: 2, err: expect.stringContaining('FILE') });
    expect(holdfast(['locks', '--watch', '--interval', 'soon', folder])).toMatchObject({
      status: 2,
      err: expect.stringContaining('seconds'),
    });
    const missing = holdfast(['locks', '--json', path.join(folder, 'x.db')]);
    expect(missing.status).toBe(2);
    expect(JSON.parse(missing.out)).toEqual({ path: `${folder}/x.db`, error: { message: `there is no file ${folder}/x.db` } });
    // Nobody waits for a file that may never come.
    expect(holdfast(['locks', '--watch', path.join(folder, 'x.db')]).status).toBe(2);
  });

  it('counts what it cannot inspect, and shows POSIX locks all the same', async (context) => {
    const { before } = demand(context, findAnotherUser());
    const file = tempPath();
    fs.chmodSync(path.dirname(file), 0o755);
    const peer = await writer(context, file);
    const [program = '', ...parameters] = [...before, ...cliCommand, 'locks', '--json', file];
    const { stdout } = spawnSync(program, parameters, { encoding: 'utf8' });
    const report = JSON.parse(stdout);
    expect(report.uninspected).toBeGreaterThan(0);
    expect(report.holders).toMatchObject([{ pid: peer.pid, locks: [{ lock: 'RESERVED' }, { lock: 'SHARED' }] }]);
  });

  it('never lets what a process calls itself command the terminal', async (context) => {
    const file = tempPath();
    fs.writeFileSync(file, '');
    const program = 'import sys; f=open(sys.argv[1]); print("ok", flush=True); sys.stdin.read()';
    const child = startChild([demand(context, findPython()), '-c', program, file, '\x1b[31mred\nline\u202e']);
    onTestFinished(child.kill);
    await child.line();
    const { out } = holdfast(['locks', file]);
    expect(out).toContain('\\x1b[31mred\\nline\\u202e');
    expect(JSON.parse(holdfast(['locks', '--json', file]).out).holders[0].command).toContain('\x1b[31mred\nline\u202e');
  });
});

describe('holdfast locks --watch', () => {
  it('shows what changes, and ends cleanly with the status of the last look', async (context) => {
    const file = tempPath();
    const peer = await writer(context, file);
    const child = watching(file);
    expect(await child.line()).toMatch(/^\/.*test\.db at \d\d:\d\d:\d\d, every 0\.1 s$/);
    await lineWith(child, 'RESERVED');
    await peer.script('ROLLBACK');
    expect(await lineWith(child, String(peer.pid))).not.toContain('RESERVED');
    process.kill(child.pid, 'SIGINT');
    expect(await child.ended).toBe(0);
    const rest = (await child.rest()).join('\n');
    expect(rest).not.toContain('\x1b');
    expect(child.complaints()).toBe('');
  });

  it('ends cleanly on SIGTERM; a file lost by then is the status', async (context) => {
    const file = tempPath();
    await writer(context, file, 'wal');
    const child = watching(file);
    await lineWith(child, 'WAL-write');
    fs.rmSync(`${file}-wal`);
    await lineWith(child, 'wal (lost)');
    process.kill(child.pid, 'SIGTERM');
    expect(await child.ended).toBe(1);
  });

  it('says so when the file goes, and goes on', async () => {
    const file = tempPath();
    fs.writeFileSync(file, '');
    const child = watching(file, '--json');
    expect(JSON.parse(await child.line()).holders).toEqual([]);
    fs.rmSync(file);
    expect(JSON.parse(await lineWith(child, 'error'))).toEqual({ path: file, error: { message: `there is no file ${file}` } });
    fs.writeFileSync(file, '');
    await lineWith(child, 'holders');
    process.kill(child.pid, 'SIGINT');
    expect(await child.ended).toBe(0);
  });

  it('prints one JSON document on each line', async (context) => {
    const file = tempPath();
    const peer = await writer(context, file);
    const child = watching(file, '--json');
    for (let look = 0; look < 3; look++) expect(JSON.parse(await child.line()).holders[0].pid).toBe(peer.pid);
  });

  it('ends when its reader goes away', () => {
    const file = tempPath();
    fs.writeFileSync(file, '');
    const command = shellQuoted([...cliCommand, 'locks', '--watch', '--interval', '0.1', '--json', file]);
    const status = `${file}.status`;
    const { stdout, stderr } = spawnSync('sh', ['-c', `(${command}; echo $? > '${status}') | head -n 2`], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).path),
    ).toEqual([file, file]);
    expect([stderr, fs.readFileSync(status, 'utf8')]).toEqual(['', '0\n']);
  });

  it('clears the screen before each look on a terminal', async (context) => {
    const python = demand(context, findPython());
    const file = tempPath();
    fs.writeFileSync(file, '');
    const clear = '\x1b[2J\x1b[H';
    const steps = [{ expect: clear }, { expect: clear }, { expect: 'test.db open', signal: 'SIGINT' }];
    const job = { command: [...cliCommand, 'locks', '--watch', '--interval', '0.1', file], env: { TERM: 'xterm' }, steps };
    const child = startChild([python, fileURLToPath(new URL('./terminal.py', import.meta.url)), JSON.stringify(job)]);
    const { transcript, status } = JSON.parse(await child.line());
    expect(status).toBe(0);
    expect(transcript).toContain('Ctrl-C ends');
  });
});
