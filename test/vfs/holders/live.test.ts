// Real processes with real locks: native SQLite (POSIX locks) and ours (open file description locks), every lock by its name.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { loadHost } from '../../../adapters/cli/runtime.ts';
import type { Holder, HolderReport } from '../../../vfs/holders/holder.ts';
import { holdersOf } from '../../../vfs/holders/scan.ts';
import { type Child, startChild } from '../../support/child.ts';
import { nativePeer, oursPeer, type Peer } from '../../support/peer.ts';
import { openSync } from '../../support/runtimes.ts';
import { tempFolder, tempPath } from '../../support/temp-folder.ts';
import { demand, findPython, findRoot, findTool } from '../../support/tools.ts';

const host = await loadHost();

const PEERS = {
  POSIX: (context: TestContext) => nativePeer(demand(context, findPython())),
  OFD: () => oursPeer(),
};
const OWNERS = ['POSIX', 'OFD'] as const;

/** How a connection comes to hold locks, and which these are then. `reader` is another connection of the same process. */
const SITUATIONS: readonly (readonly [
  mode: 'delete' | 'wal',
  name: string,
  steps: readonly string[],
  locks: readonly string[],
])[] = [
  ['delete', 'between transactions', [], []],
  ['delete', 'a reader', ['BEGIN; SELECT * FROM t'], ['SHARED read']],
  ['delete', 'a writer', ['BEGIN IMMEDIATE'], ['RESERVED write', 'SHARED read']],
  ['delete', 'alone', ['BEGIN EXCLUSIVE'], ['EXCLUSIVE write', 'PENDING write', 'RESERVED write']],
  ['wal', 'between transactions', [], ['SHARED read', 'dead-man read']],
  ['wal', 'a reader of the WAL', ['BEGIN; SELECT * FROM t'], ['SHARED read', 'WAL-read 1 read', 'dead-man read']],
  [
    'wal',
    'a reader of a WAL that is checkpointed',
    ['PRAGMA wal_checkpoint(TRUNCATE)', 'BEGIN; SELECT * FROM t'],
    ['SHARED read', 'WAL-read 0 read', 'dead-man read'],
  ],
  ['wal', 'a writer', ['BEGIN IMMEDIATE'], ['SHARED read', 'WAL-read 1 read', 'WAL-write write', 'dead-man read']],
];

function look(file: string): HolderReport {
  return holdersOf(host, file);
}

function holderIn(report: HolderReport, pid: number): Holder {
  const found = report.holders.find((holder) => holder.pid === pid);
  if (found === undefined) throw new Error(`process ${pid} is not among ${JSON.stringify(report.holders)}`);
  return found;
}

/** `main`, `wal lost`. */
function filesOf(holder: Holder): string[] {
  return holder.files.map(({ part, lost }) => (lost ? `${part} lost` : part));
}

async function prepared(peer: Peer, file: string, mode: string): Promise<Peer> {
  await peer.open(file, { timeout: 0 });
  await peer.script(`PRAGMA journal_mode=${mode}; CREATE TABLE IF NOT EXISTS t (x); INSERT INTO t VALUES (1)`);
  return peer;
}

describe.each(OWNERS)('%s locks', (owner) => {
  it.for(SITUATIONS)('in %s mode, of %s', async ([mode, , steps, locks], context) => {
    const file = tempPath();
    const peer = await prepared(PEERS[owner](context), file, mode);
    for (const sql of steps) await peer.script(sql);
    const report = look(file);
    const holder = holderIn(report, peer.pid);
    expect(holder.locks.map(({ lock, kind }) => `${lock} ${kind}`).sort()).toEqual(locks);
    expect(new Set(holder.locks.map((lock) => lock.owner))).toEqual(new Set(locks.length > 0 ? [owner] : []));
    expect(report.unattributed).toEqual([]);
    expect(filesOf(holder).filter((part) => part !== 'journal')).toEqual(mode === 'wal' ? ['main', 'wal', 'shm'] : ['main']);
    expect(holder.command).toContain(owner === 'POSIX' ? 'native-peer.py' : 'ours-peer.mjs');
    const age = Date.now() - (holder.startedAt ?? 0);
    expect(age).toBeGreaterThan(-2000);
    expect(age).toBeLessThan(120_000);
    await peer.end();
    expect(look(file).holders.map(({ pid }) => pid)).not.toContain(peer.pid);
  });

  it('PENDING, of a commit that waits for a reader', async (context) => {
    const file = tempPath();
    const peer = await prepared(PEERS[owner](context), file, 'delete');
    await peer.open(file, { timeout: 0 }, 'reader');
    for (const sql of ['BEGIN', 'SELECT * FROM t']) await peer.rows(sql, 'reader');
    await peer.script('BEGIN IMMEDIATE; INSERT INTO t VALUES (2)');
    expect(await peer.try('COMMIT')).toBe('SQLITE_BUSY');
    const holder = holderIn(look(file), peer.pid);
    expect(holder.locks.map(({ lock }) => lock).sort()).toEqual(['PENDING', 'RESERVED', 'SHARED']);
    expect(filesOf(holder)).toEqual(['main', 'journal']);
  });
});

describe('locks on bytes', () => {
  it('of the whole wal-index are all of its locks, held by whoever took them', async (context) => {
    const file = tempPath();
    await prepared(await PEERS.OFD(), file, 'wal');
    const holder = bytesHolder(demand(context, findPython()), `${file}-shm`, 120, 8);
    await holder.line();
    expect(holderIn(look(file), holder.pid).locks.map(({ lock }) => lock)).toEqual([
      'WAL-write',
      'WAL-checkpoint',
      'WAL-recover',
      ...[0, 1, 2, 3, 4].map((slot) => `WAL-read ${slot}`),
    ]);
  });
});

describe('a database under other names', () => {
  it('is found through a hard link, and through a symbolic link to its folder', async (context) => {
    const file = tempPath();
    const python = demand(context, findPython());
    const owner = await prepared(nativePeer(python), file, 'delete');
    await owner.close();
    const folder = tempFolder();
    fs.linkSync(file, path.join(folder, 'hard.db'));
    fs.symlinkSync(path.dirname(file), path.join(folder, 'way'));
    await owner.open(path.join(folder, 'hard.db'));
    await owner.script('BEGIN IMMEDIATE');
    for (const name of [file, path.join(folder, 'way', path.basename(file)), path.join(folder, 'hard.db')])
      expect(holderIn(look(name), owner.pid).locks.map(({ lock }) => lock)).toContain('RESERVED');
    await owner.close();
    await owner.open(path.join(folder, 'way', path.basename(file)));
    await owner.script('BEGIN IMMEDIATE');
    expect(holderIn(look(file), owner.pid).locks.map(({ lock }) => lock)).toContain('RESERVED');
  });

  it('is found behind a bind mount, by its identity', async (context) => {
    demand(context, findRoot());
    const unshare = demand(context, findTool('unshare'));
    const python = demand(context, findPython());
    const file = tempPath();
    const elsewhere = tempFolder();
    const script = `mount --bind "$1" "$2" && shift 2 && exec "$@"`;
    const peer = nativePeer(python, [
      unshare,
      '-m',
      '--propagation',
      'private',
      'sh',
      '-c',
      script,
      'sh',
      path.dirname(file),
      elsewhere,
    ]);
    await prepared(peer, path.join(elsewhere, path.basename(file)), 'wal');
    await peer.script('BEGIN IMMEDIATE');
    const holder = holderIn(look(file), peer.pid);
    expect(filesOf(holder)).toEqual(['main', 'wal', 'shm']);
    expect(holder.locks.map(({ lock }) => lock)).toContain('WAL-write');
    // Its path is another there; that its main file was replaced here shows all the same.
    fs.writeFileSync(`${file}.new`, '');
    fs.renameSync(`${file}.new`, file);
    expect(filesOf(holderIn(look(file), peer.pid))).toContain('main lost');
  });

  it('in another pid namespace is told as such', async (context) => {
    demand(context, findRoot());
    const unshare = demand(context, findTool('unshare'));
    const file = tempPath();
    // The process that unshares stays outside and waits; the one inside has the file.
    const peer = nativePeer(demand(context, findPython()), [unshare, '--pid', '--fork', '--kill-child']);
    await prepared(peer, file, 'delete');
    await peer.script('BEGIN IMMEDIATE');
    const { holders } = look(file);
    expect(holders).toMatchObject([{ container: 'another pid namespace' }]);
    expect(holders[0]?.locks.map(({ lock }) => lock)).toContain('RESERVED');
  });
});

describe('a lost file', () => {
  it.for(['unlinked', 'moved away and made anew'])('shows when the WAL was %s under a writer', async (how, context) => {
    const file = tempPath();
    const peer = await prepared(nativePeer(demand(context, findPython())), file, 'wal');
    expect(filesOf(holderIn(look(file), peer.pid))).toEqual(['main', 'wal', 'shm']);
    if (how === 'unlinked') fs.rmSync(`${file}-wal`);
    else {
      fs.renameSync(`${file}-wal`, `${file}.aside`);
      fs.writeFileSync(`${file}-wal`, '');
    }
    expect(filesOf(holderIn(look(file), peer.pid)).sort()).toEqual(['main', 'shm', 'wal lost']);
  });

  it('shows when the database was replaced, and when it was deleted', async (context) => {
    const file = tempPath();
    const peer = await prepared(nativePeer(demand(context, findPython())), file, 'delete');
    await peer.script('BEGIN IMMEDIATE');
    fs.copyFileSync(file, `${file}.new`);
    fs.renameSync(`${file}.new`, file);
    expect(filesOf(holderIn(look(file), peer.pid))).toContain('main lost');
    // What it holds is a lock on another file.
    expect(holderIn(look(file), peer.pid).locks).toEqual([]);
    fs.rmSync(file);
    expect(filesOf(holderIn(look(file), peer.pid))).toContain('main lost');
  });
});

describe('our own process', () => {
  it('counts, and looking neither opens the files nor drops locks', () => {
    const file = tempPath();
    const db = openSync(file, { journal: 'wal' });
    onTestFinished(() => void db.close());
    db.exec('CREATE TABLE t (x); BEGIN IMMEDIATE');
    const before = fs.statSync(file, { bigint: true });
    const first = holderIn(look(file), process.pid);
    expect(first.locks.map(({ lock, owner }) => `${owner} ${lock}`)).toContain('OFD WAL-write');
    expect(holderIn(look(file), process.pid)).toEqual(first);
    expect(fs.statSync(file, { bigint: true }).atimeNs).toBe(before.atimeNs);
    db.exec('ROLLBACK');
  });
});

function bytesHolder(python: string, file: string, start: number, length: number): Child {
  const program = `import fcntl,sys,time
f=open(sys.argv[1],'r+b'); fcntl.lockf(f, fcntl.LOCK_EX|fcntl.LOCK_NB, ${length}, ${start}); print('ok', flush=True); sys.stdin.read()`;
  const child = startChild([python, '-u', '-c', program, file]);
  onTestFinished(child.kill);
  return child;
}
