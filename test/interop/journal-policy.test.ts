// The journal policy on real mounts: what a new database gets, what an existing one keeps, and how often its owner is told.

import { describe, expect, it } from 'vitest';
import { cliCommand, shellQuoted } from '../adapters/cli/command.ts';
import { findMount, type MountKind, shellInMount } from '../support/mounts.ts';
import { bundleUrl, currentRuntime } from '../support/runtimes.ts';
import { supportFile } from '../support/support-file.ts';
import { demand } from '../support/tools.ts';

const holdfast = shellQuoted(cliCommand);
const openMany = shellQuoted([...currentRuntime.command, supportFile('open-many.mjs'), bundleUrl(currentRuntime.name)]);
/** Bytes 18 and 19: 1/1 is a rollback journal, 2/2 is WAL. */
const header = (file: string) => `od -An -tu1 -j18 -N2 "${file}" | xargs`;

function lines(text: string, word: string): string[] {
  return text.split('\n').filter((line) => line.includes(word));
}

const GROUND: readonly [MountKind, 'safe' | 'unsafe'][] = [
  ['tmpfs', 'safe'],
  ['overlay', 'safe'],
  ['bind', 'safe'],
  ['ext4', 'safe'],
  ['xfs', 'safe'],
  ['btrfs', 'safe'],
  ['blank', 'safe'],
  ['bindfs', 'unsafe'],
  ['bindfs-virtiofs', 'unsafe'],
  ['bindfs-direct', 'unsafe'],
  ['mergerfs', 'unsafe'],
  ['sshfs', 'unsafe'],
];

describe('a new database', () => {
  it.for(GROUND)('on %s, which is %s for WAL', ([kind, ground], context) => {
    const mount = demand(context, findMount(kind));
    const { out, err } = shellInMount(
      mount,
      `${holdfast} sql "$MOUNT/a.db" "CREATE TABLE t (x); INSERT INTO t VALUES (1)" && ${header('$MOUNT/a.db')} &&
       ${holdfast} sql --csv "$MOUNT/a.db" "PRAGMA journal_mode=WAL; SELECT x FROM t" && ${header('$MOUNT/a.db')}`,
    );
    const answers = out.trim().split(/\s*\n/);
    if (ground === 'safe') {
      expect([answers[0], answers.at(-1), err]).toEqual(['2 2', '2 2', '']);
    } else {
      // Nor can SQL enter WAL there.
      expect([answers[0], answers.at(-1)]).toEqual(['1 1', '1 1']);
      expect(lines(err, 'holdfast:')).toHaveLength(1);
      expect(err).toMatch(/WARNING: .*a\.db: the new database gets a rollback journal instead of WAL, because .*To do: /);
    }
  });

  it('on fuse.virtiofs gives one WARNING in one process, whoever opens it how often', (context) => {
    const mount = demand(context, findMount('bindfs-virtiofs'));
    const { out, err, status } = shellInMount(mount, `${openMany} "$MOUNT/a.db" && ${header('$MOUNT/a.db')}`);
    expect([status, out.trim().split('\n')]).toEqual([0, ['delete delete delete', '1 1']]);
    expect(lines(err, 'WARNING')).toHaveLength(1);
    expect(lines(err, 'ERROR')).toEqual([]);
  });
});

describe('a WAL database on fuse.virtiofs', () => {
  /** Made past the mount, as the other side would. */
  const make = (name: string) => `${holdfast} sql "$BACKING/${name}" "CREATE TABLE t (x); INSERT INTO t VALUES (7)"`;

  it('stays WAL, with one ERROR for each path in one process, its worker threads included', (context) => {
    const mount = demand(context, findMount('bindfs-virtiofs'));
    const { out, err, status } = shellInMount(
      mount,
      `${make('a.db')} && ${make('b.db')} && ${openMany} "$MOUNT/a.db" "$MOUNT/b.db" && ${header('$MOUNT/a.db')} && ${header('$MOUNT/b.db')}`,
    );
    expect([status, out.trim().split('\n')]).toEqual([0, ['wal wal wal wal wal wal', '2 2', '2 2']]);
    expect(lines(err, 'ERROR').map((line) => /\/([ab]\.db): it is in WAL mode/.exec(line)?.[1])).toEqual(['a.db', 'b.db']);
    expect(err).toMatch(/To do: .*holdfast journal .*a\.db delete.*named volume/);
  });

  it('is converted by the command when it is quiet, and stays out of WAL', (context) => {
    const mount = demand(context, findMount('bindfs-virtiofs'));
    const { out, err, status } = shellInMount(
      mount,
      `${make('a.db')} && ${holdfast} journal "$MOUNT/a.db" delete && ${header('$MOUNT/a.db')}
       ${holdfast} journal "$MOUNT/a.db" wal; echo "refused with $?"; ${header('$MOUNT/a.db')}
       ${holdfast} sql --csv "$MOUNT/a.db" "SELECT x FROM t"`,
    );
    expect(out).toMatch(/converted from WAL to a rollback journal.*\n1 1\nrefused with 1\n1 1\nx\r\n7\r\n$/s);
    expect(err).toMatch(/WAL is not safe for .*a\.db: .*fuse\.virtiofs.*--force/);
    expect(status).toBe(0);
  });

  it('goes into WAL by force alone, which says what it risks', (context) => {
    const mount = demand(context, findMount('bindfs-virtiofs'));
    const { out, err } = shellInMount(
      mount,
      `${holdfast} sql "$MOUNT/a.db" "CREATE TABLE t (x)" && ${holdfast} journal "$MOUNT/a.db" wal --force && ${header('$MOUNT/a.db')}`,
    );
    expect(out).toMatch(/converted from a rollback journal.*\n2 2\n$/s);
    expect(err).toMatch(/WAL, which was forced, is destroyed there even by taking turns/);
  });
});

describe('on a mount that is not safe for WAL', () => {
  it.for(['bindfs-virtiofs', 'bindfs-direct'] as const)('%s, SQL has no way into it', (kind, context) => {
    const mount = demand(context, findMount(kind));
    const { out } = shellInMount(
      mount,
      `${holdfast} sql "$MOUNT/a.db" "CREATE TABLE t (x); INSERT INTO t VALUES (7)" 2>/dev/null
       ${holdfast} sql "$MOUNT/a.db" "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL" >/dev/null 2>"$MOUNT/err"; echo "status $?"
       ${header('$MOUNT/a.db')}
       cat "$MOUNT/err"
       ${holdfast} sql --csv "$MOUNT/a.db" "SELECT x FROM t"`,
    );
    expect(out).toMatch(/^status 1\n1 1\n/);
    expect(out).toMatch(/a\.db was not put into WAL mode, because that is not safe here/);
    expect(out).toMatch(/x\r\n7\r\n$/);
  });

  it('requireWal refuses before a file is made', (context) => {
    const mount = demand(context, findMount('bindfs-virtiofs'));
    const program = `
      const { openSync } = await import(process.argv[1]);
      try { openSync(process.argv[2], { requireWal: true }); } catch (error) { console.log(error.code); }`;
    const run = shellQuoted([...currentRuntime.command, '-e', program, bundleUrl(currentRuntime.name)]);
    const { out } = shellInMount(mount, `${run} "$MOUNT/a.db"; ls "$MOUNT"`);
    expect(out).toBe('HOLDFAST_WAL_UNUSABLE\n');
  });

  it('where memory cannot be shared, no force puts a database into WAL', (context) => {
    const mount = demand(context, findMount('bindfs-direct'));
    const { out, err } = shellInMount(
      mount,
      `${holdfast} sql "$MOUNT/a.db" "CREATE TABLE t (x)" 2>/dev/null
       ${holdfast} journal "$MOUNT/a.db" wal --force; echo "status $?"; ${header('$MOUNT/a.db')}`,
    );
    expect(out).toBe('status 1\n1 1\n');
    expect(err).toMatch(/memory cannot be shared between processes here/);
  });

  it('a backup of a WAL database has a rollback journal', (context) => {
    const mount = demand(context, findMount('bindfs-virtiofs'));
    const program = `
      const { openSync } = await import(process.argv[1]);
      const db = openSync(process.argv[2]);
      db.exec('CREATE TABLE t (x); INSERT INTO t VALUES (7)');
      await db.backup(process.argv[3]);
      db.exec("ATTACH '" + process.argv[3] + "' AS copy");
      console.log(db.info.journalMode, db.pragma('copy.journal_mode', { simple: true }));
      db.close();`;
    const run = shellQuoted([...currentRuntime.command, '-e', program, bundleUrl(currentRuntime.name)]);
    const { out, err } = shellInMount(mount, `${run} "$BACKING/a.db" "$MOUNT/copy.db" && ${header('$MOUNT/copy.db')}`);
    expect([out.trim().split('\n'), err]).toEqual([['wal delete', '1 1'], '']);
  });

  it('attaching a WAL database is told as opening it is', (context) => {
    const mount = demand(context, findMount('bindfs-virtiofs'));
    const { out, err } = shellInMount(
      mount,
      `${holdfast} sql "$BACKING/a.db" "CREATE TABLE t (x); INSERT INTO t VALUES (7)"
       ${holdfast} sql --csv :memory: "ATTACH '$MOUNT/a.db' AS a; SELECT x FROM a.t"`,
    );
    expect(out).toBe('x\r\n7\r\n');
    expect(lines(err, 'ERROR')).toHaveLength(1);
    expect(err).toMatch(/ERROR: .*a\.db: it is in WAL mode/);
  });
});

it('a database that is mounted by itself gets no WAL, because its sidecars would lie elsewhere', (context) => {
  const mount = demand(context, findMount('bind-file'));
  const { out, err } = shellInMount(mount, `${holdfast} sql "$MOUNT" "CREATE TABLE t (x)" && ${header('$MOUNT')}`);
  expect(out.trim()).toBe('1 1');
  expect(err).toMatch(/WARNING: .*the file itself is a mount point/);
});

it('a database that is mounted by itself is not converted, because its WAL may lie elsewhere', (context) => {
  const mount = demand(context, findMount('bind-file'));
  const { out, err } = shellInMount(
    mount,
    `${holdfast} sql "$BACKING/app.db" "CREATE TABLE t (x)"; ${holdfast} journal "$MOUNT" delete; echo "status $?"; ${header('$MOUNT')}`,
  );
  expect(out).toMatch(/^status 1\n2 2\n$/);
  expect(err).toMatch(/it is mounted by itself/);
});
