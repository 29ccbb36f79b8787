// `holdfast doctor`: what it says of healthy and of hurt databases, with which exit status, and that looking changes nothing.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { seen } from '../../../core/doctor/looking.ts';
import { findAnotherUser } from '../../../support/another-user.ts';
import { crashDatabase } from '../../../support/crashed-database.ts';
import { findMount, shellInMount } from '../../../support/mounts.ts';
import { nativePeer, oursPeer } from '../../../support/peer.ts';
import { currentRuntime, openSync } from '../../../support/runtimes.ts';
import { sidecarsOf, tempFolder } from '../../../support/temp-folder.ts';
import { demand, findPython } from '../../../support/tools.ts';
import { cliCommand, holdfast, shellQuoted } from '../command.ts';

interface DocumentLine {
  weight: string;
  code: string;
  text: string;
  remedy: string | null;
}

function doctor(args: string[]) {
  const { status, out, err } = holdfast(['doctor', ...args, '--json']);
  const report = JSON.parse(out);
  const lines = report.databases.flatMap((each: { lines: DocumentLine[] }) => each.lines) as DocumentLine[];
  return { status, err, report, lines, codes: lines.map(({ code }) => code) };
}

function database(folder: string, name: string, journal: 'wal' | 'delete' = 'wal'): string {
  const file = path.join(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  openSync(file, { journal }).exec('CREATE TABLE sessions (id); INSERT INTO sessions VALUES (1), (2)').close();
  return file;
}

function replaceByFolder(file: string): void {
  fs.rmSync(file);
  fs.mkdirSync(file);
}

describe('a healthy database', () => {
  it('has the journal mode line of the agents’ own doctor, and exit status 0', () => {
    const file = database(tempFolder(), 'state.db');
    const { out, err, status } = holdfast(['doctor', file]);
    const size = `${(fs.statSync(file).size / 1024).toFixed(1)} KB`;
    expect(out.split('\n')).toContain(`  → state.db: WAL journal mode (${size})`);
    expect(out.split('\n')).toContain('  → state.db exists and opens (1 table, 2 sessions)');
    expect(out).toMatch(/1 database examined, healthy\n\(The contents were not checked: .*integrity_check.*\n$/);
    expect([err, status]).toEqual(['', 0]);
  });

  it('in rollback mode is as healthy', () => {
    const file = database(tempFolder(), 'x y.db', 'delete');
    const { status, codes, report } = doctor([file]);
    expect([status, codes.slice(0, 2)]).toEqual([0, ['opens', 'journal-rollback']]);
    expect(report).toMatchObject({
      healthy: true,
      databases: [{ label: 'x y.db', path: file, journal: { effective: 'rollback' } }],
    });
  });

  it('may be found through a link, and may have a large WAL that is fully checkpointed', () => {
    const folder = tempFolder();
    const file = database(folder, 'real.db');
    const db = openSync(file);
    db.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO sessions SELECT hex(randomblob(400)) FROM n`,
    );
    expect(db.pragma('wal_checkpoint')).toMatchObject([{ busy: 0 }]);
    fs.symlinkSync(file, path.join(folder, 'link.db'));
    const { status, codes, report } = doctor([path.join(folder, 'link.db')]);
    db.close();
    expect(status).toBe(0);
    expect(codes).toContain('wal-checkpointed');
    expect(report.databases[0]).toMatchObject({ path: file, wal: { pending: 0, fullyCheckpointed: true } });
  });
});

it('of a folder that is no home, examines every database in it', () => {
  const folder = tempFolder();
  database(folder, 'app.db');
  database(folder, 'b.sqlite', 'delete');
  fs.writeFileSync(path.join(folder, 'notes.txt'), 'hello '.repeat(100));
  const { status, report } = doctor([folder]);
  expect(report.databases.map(({ label }: { label: string }) => label)).toEqual(['app.db', 'b.sqlite']);
  expect(status).toBe(0);
});

describe('plain doctor changes nothing', () => {
  it.each(['wal', 'delete'] as const)('in a home of settled databases in %s mode', (journal) => {
    const home = tempFolder();
    for (const name of ['state.db', 'profiles/a/state.db', 'kanban/boards/b/kanban.db', 'cron/executions.db'])
      database(home, name, journal);
    const before = seen(home);
    const { status, report } = doctor(['--home', home]);
    expect(status).toBe(0);
    expect(report.databases.map(({ label }: { label: string }) => label)).toEqual([
      'cron/executions.db',
      'kanban/boards/b/kanban.db',
      'profiles/a/state.db',
      'state.db',
    ]);
    expect(seen(home)).toEqual(before);
  });

  it.each(['hot-journal', 'abandoned-wal'] as const)('beside a %s', async (crash) => {
    const folder = tempFolder();
    const file = path.join(folder, 'state.db');
    await crashDatabase(file, crash, { ours: currentRuntime });
    const before = seen(folder);
    const { codes } = doctor([file]);
    expect(codes).toContain(crash === 'hot-journal' ? 'not-opened' : 'wal-pending');
    expect(seen(folder)).toEqual(before);
  });

  it('under live connections, whose locks stay', async (context) => {
    const folder = tempFolder();
    const file = database(folder, 'state.db');
    const native = nativePeer(demand(context, findPython()));
    await native.open(file);
    await native.rows('BEGIN IMMEDIATE');
    await native.rows('INSERT INTO sessions VALUES (3)');
    const before = seen(folder);
    const { status, lines, codes } = doctor([file]);
    expect(status).toBe(codes.includes('wal-reset-exposure') ? 1 : 0);
    expect(lines[0]).toMatchObject({ code: 'in-use' });
    expect(lines[0]?.text).toMatch(new RegExp(`process ${native.pid} .*holds WAL-write`));
    expect(seen(folder)).toEqual(before);
    await native.rows('COMMIT');
    expect(await native.rows('SELECT count(*) FROM sessions')).toEqual([[3]]);
  });
});

describe('what cannot be told', () => {
  it.each([
    ['is missing', (file: string) => fs.rmSync(file), 'file-missing', 2],
    ['is empty', (file: string) => fs.truncateSync(file), 'file-empty', 1],
    ['is too short', (file: string) => fs.truncateSync(file, 50), 'file-too-short', 1],
    ['is zeroed', (file: string) => fs.writeFileSync(file, Buffer.alloc(8192)), 'file-zeroed', 1],
    ['is no database', (file: string) => fs.writeFileSync(file, 'hello '.repeat(1000)), 'file-not-a-database', 1],
    ['is a folder without databases', replaceByFolder, 'file-missing', 2],
    ['was cut off', (file: string) => fs.truncateSync(file, 4096), 'length-disagrees', 1],
  ] as const)('a file that %s', (_, hurt, code, expected) => {
    const file = database(tempFolder(), 'state.db');
    hurt(file);
    const { status, codes } = doctor([file]);
    expect(codes).toContain(code);
    expect(status).toBe(expected);
  });

  it('a file that we may not read', (context) => {
    const folder = tempFolder();
    const file = database(folder, 'state.db');
    fs.chmodSync(folder, 0o755);
    fs.chmodSync(file, 0o600);
    const { before } = demand(context, findAnotherUser());
    const [program = '', ...args] = [...before, ...cliCommand, 'doctor', file];
    const { status, stdout: out } = spawnSync(program, args, { encoding: 'utf8' });
    expect(out).toMatch(/\? state\.db: .*permission denied/);
    expect(status).toBe(2);
  });

  it.each([
    ['a home that does not exist', ['--home', '/nowhere/at/all'], /there is no home \/nowhere\/at\/all/],
    ['a profile that does not exist', ['--profile', 'nope'], /no profile "nope".*default, work/],
    ['a profile that is a path', ['--profile', '../x'], /profile/],
    ['an empty path', [''], /PATH is empty/],
    ['a path and a profile', ['x.db', '-p', 'work'], /--profile/],
  ])('%s is wrong usage', (_, args, message) => {
    const home = tempFolder();
    database(home, 'profiles/work/state.db');
    const { status, err } = holdfast(['doctor', ...(args.includes('--home') ? [] : ['--home', home]), ...args]);
    expect(err).toMatch(message);
    expect(status).toBe(2);
  });
});

describe('a PATH of which nothing can be told', () => {
  it('is a line of its own, and the others are examined', () => {
    const folder = tempFolder();
    const good = database(folder, 'good.db');
    const loop = path.join(folder, 'loop.db');
    fs.symlinkSync(loop, loop);
    const { status, report, err } = doctor([loop, path.join(folder, 'x'.repeat(300)), path.join(loop, 'y.db'), good]);
    const told = report.databases.map(({ lines }: { lines: DocumentLine[] }) => lines[0]);
    expect(told).toMatchObject([
      { weight: 'unknown', text: expect.stringContaining('ELOOP') },
      { weight: 'unknown', text: expect.stringContaining('ENAMETOOLONG') },
      { weight: 'unknown', text: expect.stringContaining('ELOOP') },
      { weight: 'info', code: 'opens' },
    ]);
    expect([status, err]).toEqual([2, '']);
  });

  it('in a folder that may not be entered', (context) => {
    const { before } = demand(context, findAnotherUser());
    const folder = tempFolder();
    fs.chmodSync(folder, 0o755);
    const good = database(folder, 'good.db', 'delete');
    fs.chmodSync(good, 0o644);
    const hidden = path.join(folder, 'hidden');
    fs.mkdirSync(hidden, { mode: 0o700 });
    const [program = '', ...args] = [...before, ...cliCommand, 'doctor', path.join(hidden, 'state.db'), hidden, good];
    const { status, stdout: out, stderr: err } = spawnSync(program, args, { encoding: 'utf8', cwd: '/' });
    expect(out).toMatch(/\? state\.db: .*permission denied \(EACCES\)/);
    expect(out).toMatch(/→ good\.db exists and opens/);
    expect(out).not.toMatch(/healthy/);
    expect([status, err]).toEqual([2, '']);
  });
});

describe('a failure of the whole', () => {
  it.each([
    ['a home that does not exist', ['--home', '/nowhere/at/all'], /there is no home/],
    ['a profile that does not exist', ['-p', 'nope'], /no profile "nope"/],
    ['an empty path', [''], /PATH is empty/],
  ])('with --json is one document: %s', (_, args, message) => {
    const home = tempFolder();
    database(home, 'state.db');
    const { status, out, err } = holdfast(['doctor', '--json', ...(args.includes('--home') ? [] : ['--home', home]), ...args]);
    expect(JSON.parse(out)).toEqual({ error: { code: 'HOLDFAST_USAGE', message: expect.stringMatching(message) } });
    expect([status, err]).toEqual([2, '']);
  });

  it('in a working directory that was removed, only a relative path is', () => {
    const file = database(tempFolder(), 'state.db', 'delete');
    const gone = tempFolder();
    const run = (args: string) =>
      spawnSync(
        'sh',
        ['-c', `cd '${gone}' && mkdir -p gone && cd gone && rmdir ../gone && ${shellQuoted(cliCommand)} doctor ${args}`],
        {
          encoding: 'utf8',
        },
      );
    const relative = run('x.db');
    expect([relative.status, relative.stdout]).toEqual([2, '']);
    expect(relative.stderr).toMatch(/^holdfast: the working directory does not exist any more; name an absolute PATH\n$/);
    const asked = JSON.parse(run('--json x.db').stdout);
    expect(asked.error.message).toMatch(/working directory does not exist/);
    const { status, stdout: out } = run(`'${file}'`);
    expect(out).toMatch(/exists and opens/);
    expect(status).toBe(0);
  });
});

describe('what would pass for healthy', () => {
  it('a wal-index that is a symbolic link', () => {
    const folder = tempFolder();
    const file = database(folder, 's.db');
    fs.symlinkSync(path.join(folder, 'elsewhere'), `${file}-shm`);
    const { status, codes, lines } = doctor([file]);
    expect(codes).toEqual(expect.arrayContaining(['not-opened', 'sidecar-symbolic-link']));
    expect(lines[0]?.text).toMatch(/it was not opened: .*-shm is a symbolic link/);
    expect(status).toBe(1);
  });

  it('an abandoned WAL with a damaged frame, which --fix leaves alone', async () => {
    const folder = tempFolder();
    const file = path.join(folder, 'state.db');
    await crashDatabase(file, 'abandoned-wal', { ours: currentRuntime });
    expect(doctor([file]).codes).not.toContain('wal-damaged');
    const fd = fs.openSync(`${file}-wal`, 'r+');
    fs.writeSync(fd, Buffer.from([0xa5, 0x5a, 0xa5, 0x5a]), 0, 4, fs.statSync(`${file}-wal`).size >> 1);
    fs.closeSync(fd);
    const { status, lines, report } = doctor([file]);
    const { unreachable, pending } = report.databases[0].wal;
    const total = pending + unreachable;
    expect(lines.find(({ code }) => code === 'wal-damaged')).toMatchObject({
      weight: 'warning',
      text: expect.stringContaining(`${pending} of ${total} frames are readable`),
      remedy: expect.stringContaining(`copy ${file} and ${file}-wal away`),
    });
    expect(pending).toBeGreaterThan(100);
    expect(unreachable).toBeGreaterThan(100);
    expect(status).toBe(1);
    fs.chmodSync(file, 0o600);
    const before = fs.readFileSync(`${file}-wal`);
    expect(doctor(['--home', folder, '--fix']).codes).toContain('fix-skipped');
    expect(fs.readFileSync(`${file}-wal`).equals(before)).toBe(true);
  });
});

describe('the journal mode line', () => {
  it('tells first that delete is configured but not in effect, who holds the file, or that nobody does', async () => {
    const home = tempFolder();
    const file = database(home, 'state.db');
    fs.writeFileSync(path.join(home, 'config.yaml'), 'database:\n  journal_mode: delete\n');
    const free = doctor(['--home', home]).lines.find(({ code }) => code === 'journal-mode-not-in-effect');
    expect(free?.remedy).toBe(`the conversion can run now: holdfast journal ${file} delete`);
    const holder = oursPeer();
    await holder.open(file);
    await holder.rows('SELECT * FROM sessions');
    const { status, lines } = doctor(['--home', home]);
    const held = lines.find(({ code }) => code === 'journal-mode-not-in-effect');
    expect(held?.text).toContain(`process ${holder.pid} `);
    expect(held?.remedy).toMatch(/^stop these processes/);
    expect(status).toBe(1);
  });

  it('warns of WAL on a cross-VM mount with both remedies, before anything about other engines', (context) => {
    const mount = demand(context, findMount('bindfs-virtiofs'));
    const run = shellQuoted(cliCommand);
    const { out } = shellInMount(
      mount,
      `${run} sql "$BACKING/state.db" "CREATE TABLE t (x)"; ${run} doctor "$MOUNT/state.db"; echo "status $?"`,
    );
    expect(out).toMatch(
      /✗ state\.db is in WAL mode on a cross-VM filesystem \(fuse\.virtiofs at .*, 8\.0 KB\) \(WAL can silently corrupt across the VM boundary\)\n/,
    );
    expect(out).toMatch(
      /to do: stop every process .*'holdfast journal .*state\.db delete', then set `database\.journal_mode: delete` — or move the database onto a native\/named volume\n/,
    );
    expect(out).toMatch(/status 1\n$/);
    expect(out).not.toContain('→ state.db: WAL journal mode');
  });

  it('says of a file that is mounted by itself that its sidecars lie elsewhere', (context) => {
    const mount = demand(context, findMount('bind-file'));
    const run = shellQuoted(cliCommand);
    const { out } = shellInMount(
      mount,
      `${run} sql "$MOUNT" "CREATE TABLE t (x)" 2>/dev/null; ${run} doctor "$MOUNT"; echo "status $?"`,
    );
    expect(out).toMatch(/✗ app\.db is itself a mount point/);
    expect(out).toMatch(/status 1\n$/);
  });

  it('reports what is wrong in the configuration', () => {
    const home = tempFolder();
    database(home, 'state.db');
    fs.writeFileSync(path.join(home, 'config.yaml'), 'database:\n  journal_mode: wla\n  synchronous: on\n  colour: red\n');
    const { status, report } = doctor(['--home', home]);
    expect(report.config.map(({ code }: DocumentLine) => code)).toEqual([
      'config-invalid-value',
      'config-invalid-value',
      'config-unknown-key',
    ]);
    expect([status, report.healthy]).toEqual([1, false]);
    fs.writeFileSync(path.join(home, 'config.yaml'), 'database: [\n');
    expect(doctor(['--home', home]).report.config[0].code).toBe('config-unreadable');
  });
});

describe('beside the database', () => {
  it('sees conflict copies and synced folders, and merges nothing', () => {
    const folder = tempFolder();
    const file = database(folder, 'state.db');
    fs.mkdirSync(path.join(folder, '.stfolder'));
    fs.copyFileSync(file, path.join(folder, 'state.sync-conflict-20260101-120000-ABCDEFG.db'));
    const before = seen(folder);
    const { status, codes } = doctor([file]);
    expect(codes).toEqual(expect.arrayContaining(['synced-folder', 'conflict-copies']));
    expect(status).toBe(1);
    expect(seen(folder)).toEqual(before);
  });

  it('sees a process that writes to a WAL which is no longer at the path', async (context) => {
    const file = database(tempFolder(), 'state.db');
    const native = nativePeer(demand(context, findPython()));
    await native.open(file);
    await native.rows('INSERT INTO sessions VALUES (3)');
    fs.renameSync(`${file}-wal`, `${file}-wal.gone`);
    fs.writeFileSync(`${file}-wal`, '');
    const { status, lines } = doctor([file]);
    expect(lines.find(({ code }) => code === 'lost-file')?.text).toContain(`process ${native.pid} `);
    expect(status).toBe(1);
  });
});

describe('doctor --fix', () => {
  it('empties a WAL that nobody uses, keeps its rows, and closes private files to others', async () => {
    const home = tempFolder();
    const file = path.join(home, 'state.db');
    await crashDatabase(file, 'abandoned-wal', { ours: currentRuntime });
    fs.chmodSync(file, 0o644);
    const { status, codes } = doctor(['--home', home, '--fix']);
    expect(codes).toEqual(expect.arrayContaining(['fixed-wal', 'fixed-mode', 'opens']));
    expect(status).toBe(0);
    expect(sidecarsOf(file)).toEqual([]);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(openSync(file).prepare('SELECT count(*), sum(v) FROM t').raw().get()).toEqual([2000, 42000]);
    expect(doctor(['--home', home, '--fix']).codes).not.toContain('fixed-wal');
  });

  it.each(['native', 'ours'] as const)('touches nothing while %s has it open, and names the process to stop', async (kind) => {
    const home = tempFolder();
    const file = database(home, 'state.db');
    const python = findPython();
    const holder = kind === 'native' && 'found' in python ? nativePeer(python.found) : oursPeer();
    await holder.open(file);
    await holder.rows('INSERT INTO sessions VALUES (3)');
    const before = seen(home);
    const { status, lines } = doctor(['--home', home, '--fix']);
    const skipped = lines.find(({ code }) => code === 'fix-skipped');
    expect(skipped?.text).toContain(`process ${holder.pid} `);
    expect(status).toBe(1);
    expect(seen(home)).toEqual(before);
    expect(await holder.rows('SELECT count(*) FROM sessions')).toEqual([[3]]);
  });
});
