// `holdfast sql` as a process: input, files, parameters, exit statuses and messages.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { nativePeer } from '../../support/peer.ts';
import { openSync } from '../../support/runtimes.ts';
import { tempFolder, tempPath } from '../../support/temp-folder.ts';
import { demand, findPython, findTool } from '../../support/tools.ts';
import { cliCommand, holdfast, shellQuoted, sql } from './command.ts';

const MANY = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 200000) SELECT n FROM c';

function database(script = 'CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)'): string {
  const file = tempPath();
  openSync(file, { journal: 'delete' }).exec(script).close();
  return file;
}

describe('the command line', () => {
  it('prints its versions', () => {
    const { version } = JSON.parse(fs.readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    const { status, out } = holdfast(['--version']);
    expect(status).toBe(0);
    expect(out).toContain(`holdfast ${version}\n`);
    expect(out).toMatch(/^engine +\S/m);
    expect(out).toMatch(/^SQLite +3\.\d+\.\d+ \(/m);
  });

  it('prints help', () => {
    expect(holdfast(['--help'])).toMatchObject({ status: 0, err: '' });
    expect(holdfast(['sql', '--help']).out).toContain('--param');
  });

  it.each([
    [[]],
    [['nonsense']],
    [['--nonsense']],
    [['sql']],
    [['sql', '']],
    [['sql', 'x.db', 'SELECT 1', 'SELECT 2']],
    [['sql', '--nonsense', 'x.db', 'SELECT 1']],
    [['sql', '--json', '--csv', 'x.db', 'SELECT 1']],
    [['sql', '--readonly', '--create', 'x.db', 'SELECT 1']],
    [['sql', '--timeout', 'soon', 'x.db', 'SELECT 1']],
    [['sql', '--locking', 'none', 'x.db', 'SELECT 1']],
    [['sql', ':memory:', 'SELECT 1', '--param']],
    [['sql', ':memory:', 'SELECT 1', '--param', '1']],
    [['sql', ':memory:', 'SELECT 1', '--param', 'a=1']],
  ])('%j is wrong usage', (args) => {
    const cwd = tempFolder();
    const { status, out, err } = holdfast(args, { cwd });
    expect(status).toBe(2);
    expect(out).toBe('');
    expect(err).not.toBe('');
    expect(fs.readdirSync(cwd)).toEqual([]);
  });

  it('refuses arguments that are not UTF-8', (context) => {
    const shell = demand(context, findTool('sh'));
    const cwd = tempFolder();
    const script = `exec ${shellQuoted([...cliCommand, 'sql', '--create'])} "$(printf 'bad\\377')" 'SELECT 1'`;
    const { status, stderr } = spawnSync(shell, ['-c', script], { cwd, encoding: 'utf8' });
    expect(stderr).toContain('not valid UTF-8');
    expect(status).toBe(2);
    expect(fs.readdirSync(cwd)).toEqual([]);
  });

  it('takes a replacement character that is really there', () => {
    const cwd = tempFolder();
    expect(sql(['\ufffd.db', "CREATE TABLE t(a); SELECT '\ufffd' AS a", '--csv'], { cwd })).toBe('a\r\n\ufffd\r\n');
    expect(fs.readdirSync(cwd)).toEqual(['\ufffd.db']);
  });
});

describe('the file', () => {
  it.each([
    'with space.db',
    '%20%41.db',
    'a?mode=ro',
    'a#b',
    'new\nline',
    '日本語.db',
    'file:x.db',
    "quote'.db",
    '-begins-with-dash',
  ])('%j is the file of that name', (name) => {
    const cwd = tempFolder();
    expect(sql(['--', name, 'CREATE TABLE t(a); INSERT INTO t VALUES (7)'], { cwd })).toBe('');
    expect(fs.readdirSync(cwd)).toEqual([name]);
    expect(openSync(path.join(cwd, name)).prepare('SELECT a FROM t').pluck().get()).toBe(7);
  });

  it.each([
    'SELECT 1',
    '',
    'INSERT INTO t VALUES (1)',
    'PRAGMA user_version = 1',
    'CREATE TABL t(a)',
    'CREATE TEMP TABLE t(a)',
    'CREATE INDEX i ON t(a)',
    'BEGIN; SELECT 1',
  ])('is not made by %j', (script) => {
    const cwd = tempFolder();
    for (const args of [['x.db', script], ['x.db']]) {
      const { status, err } = holdfast(['sql', ...args], { cwd, input: script });
      expect(status).toBe(1);
      expect(err).toMatch(/^holdfast: /);
      expect(fs.readdirSync(cwd)).toEqual([]);
    }
  });

  it('is made by SQL that begins with CREATE, or with --create', () => {
    const cwd = tempFolder();
    sql(['a.db', '-- a comment\nPRAGMA user_version = 3; BEGIN; CREATE TABLE t(a); COMMIT'], { cwd });
    expect(sql(['a.db', 'PRAGMA user_version', '--csv'], { cwd })).toBe('user_version\r\n3\r\n');
    sql(['b.db', '--create', 'SELECT 1'], { cwd });
    expect(fs.readdirSync(cwd).sort()).toEqual(['a.db', 'b.db']);
  });

  it('is not written with --readonly', () => {
    const file = database();
    const { status, err } = holdfast(['sql', '--readonly', file, 'DELETE FROM t']);
    expect(status).toBe(1);
    expect(err).toContain('readonly');
    expect(sql(['--readonly', '--csv', file, 'SELECT count(*) AS n FROM t'])).toBe('n\r\n2\r\n');
    expect(holdfast(['sql', '--readonly', `${file}.no`, 'CREATE TABLE t(a)']).status).toBe(1);
    expect(fs.existsSync(`${file}.no`)).toBe(false);
  });

  it('may be locked by a folder', () => {
    const file = database();
    fs.mkdirSync(`${file}.lock`);
    const { status, err } = holdfast(['sql', '--locking', 'dotfile', '--timeout', '0', file, 'SELECT * FROM t']);
    expect(status).toBe(1);
    expect(err).toContain('dot-file');
  });

  it('is named when a native process holds its lock, with the time that we waited', async (context) => {
    const python = demand(context, findPython());
    const file = database();
    const native = nativePeer(python);
    await native.open(file);
    await native.rows('BEGIN EXCLUSIVE');
    const { status, out, err } = holdfast(['sql', '--timeout', '50', file, 'SELECT * FROM t']);
    expect(status).toBe(1);
    expect(out).toBe('');
    expect(err).toMatch(/^holdfast: database is locked: .*lock was not free.*waited \d+ ms.*\n$/);
    expect(err).toContain(file);
    expect(err).toContain(`process ${native.pid}`);
    await native.rows('COMMIT');
    expect(sql(['--csv', file, 'SELECT * FROM t'])).toBe('a\r\n1\r\n2\r\n');
  });
});

describe('SQL', () => {
  it('may begin with a comment that looks like an option', () => {
    expect(sql([':memory:', '--csv', '-- comment\nSELECT 1 AS a'])).toBe('a\r\n1\r\n');
    expect(holdfast(['sql', '-- comment\n', 'CREATE TABLE t(a)'], { cwd: tempFolder() }).status).toBe(2);
  });

  it('comes from standard input', () => {
    const input = "CREATE TABLE t(a, b);\nINSERT INTO t VALUES (1, 'é;'),\n(2, 'b');\nSELECT * FROM t";
    expect(sql([':memory:', '--csv'], { input })).toBe('a,b\r\n1,é;\r\n2,b\r\n');
    expect(sql([':memory:'], { input: '' })).toBe('');
  });

  it('from standard input must be UTF-8', () => {
    const { status, err } = holdfast(['sql', ':memory:'], { input: new Uint8Array([0x53, 0xff, 0x3b]) });
    expect(status).toBe(1);
    expect(err).toContain('UTF-8');
  });

  it('restores what native SQLite dumped', (context) => {
    const native = demand(context, findTool('sqlite3'));
    const file = database(`CREATE TABLE t(a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, 'it''s;'), (2, x'00'), (3, 1e999);
      CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET b = CASE b WHEN 1 THEN 2 END; SELECT 1; END;`);
    const dump = (of: string) => spawnSync(native, [of, '.dump'], { encoding: 'utf8' }).stdout;
    const copy = tempPath();
    sql([copy], { input: dump(file) });
    expect(dump(copy)).toBe(dump(file));
    expect(dump(copy)).toContain('TRIGGER');
  });

  it('that fails ends the script and rolls its transaction back', () => {
    const file = database();
    const { status, out, err } = holdfast(['sql', '--csv', file, 'BEGIN; DELETE FROM t; SELECT 1 AS a; SELEC; SELECT 2']);
    expect(status).toBe(1);
    expect(out).toBe('a\r\n1\r\n');
    expect(err).toBe('holdfast: near "SELEC": syntax error\n  SELEC;\n  ^\n');
    expect(sql(['--csv', file, 'SELECT count(*) AS n FROM t'])).toBe('n\r\n2\r\n');
  });

  it('that fails is shown with the place, also behind wide characters and far to the right', () => {
    const { err } = holdfast(['sql', ':memory:', "SELECT 1;\nSELECT 2,\n\t'日本', nope"]);
    expect(err).toBe("holdfast: no such column: nope\n  line 3: \\t'日本', nope\n                    ^\n");
    const far = holdfast(['sql', ':memory:', `SELECT ${'1, '.repeat(100)}missing${', 1'.repeat(100)}`]).err.split('\n');
    const caret = (far[2] as string).indexOf('^');
    expect((far[1] as string).slice(caret, caret + 7)).toBe('missing');
    expect((far[1] as string).length).toBeLessThan(100);
  });

  it('answers in messages without commanding the terminal', () => {
    const { err } = holdfast(['sql', ':memory:', 'SELECT "\x1b[31m\n" FROM t']);
    expect(err).not.toMatch(/\x1b/);
    const missing = holdfast(['sql', 'no\x1b[31m\nfile', 'SELECT 1'], { cwd: tempFolder() }).err;
    expect(missing.trimEnd()).not.toMatch(/[\x1b\n]/);
  });

  it('takes parameters', () => {
    const script = 'SELECT ? AS a, ? AS b, :c AS c, @d AS d; SELECT ? AS e';
    const params = ['1', "'2'", 'c=-5', "$d=x'0a'"].flatMap((value) => ['--param', value]);
    expect(sql([':memory:', script, '--csv', ...params])).toBe("a,b,c,d\r\n1,2,-5,x'0a'\r\n\r\ne\r\n1\r\n");
    expect(sql([':memory:', 'SELECT typeof(?) AS a', '--csv', '--param', "'2'"])).toBe('a\r\ntext\r\n');
    expect(sql([':memory:', 'SELECT ? AS a', '--csv', '--param', '-- text'])).toBe('a\r\n-- text\r\n');
    expect(holdfast(['sql', ':memory:', 'SELECT ?, ?', '--param', '1']).status).toBe(1);
    expect(holdfast(['sql', ':memory:', 'SELECT :a']).status).toBe(1);
  });

  it('with RETURNING answers rows', () => {
    const file = database();
    expect(sql(['--csv', file, 'INSERT INTO t VALUES (9) RETURNING a'])).toBe('a\r\n9\r\n');
    expect(sql(['--csv', file, 'DELETE FROM t WHERE a > :min RETURNING a', '--param', 'min=1'])).toBe('a\r\n2\r\n9\r\n');
  });
});

describe('the output', () => {
  it('is complete in a pipe', () => {
    const out = sql([':memory:', '--csv', MANY]);
    expect(out.endsWith('\r\n200000\r\n')).toBe(true);
    expect(out.split('\r\n')).toHaveLength(200002);
  });

  it('ends quietly when its reader has left, and what was asked for is done', (context) => {
    const shell = demand(context, findTool('sh'));
    const file = database();
    const command = shellQuoted([...cliCommand, 'sql', '--csv', file, `${MANY}; INSERT INTO t VALUES (3) RETURNING a; ${MANY}`]);
    const status = path.join(path.dirname(file), 'status');
    const { stdout, stderr } = spawnSync(shell, ['-c', `(${command}; echo $? > ${status}) | head -n 1`], { encoding: 'utf8' });
    expect(stdout).toBe('n\r\n');
    expect(stderr).toBe('');
    expect(fs.readFileSync(status, 'utf8')).toBe('0\n');
    expect(sql(['--csv', file, 'SELECT max(a) AS m FROM t'])).toBe('m\r\n3\r\n');
  });

  it('that cannot be written is a failure', (context) => {
    const shell = demand(context, findTool('sh'));
    demand(context, fs.existsSync('/dev/full') ? { found: true } : { missing: '/dev/full, the full disk, is missing' });
    for (const args of [['sql', ':memory:', 'SELECT 1'], ['--version'], ['--help']]) {
      const command = shellQuoted([...cliCommand, ...args]);
      const { status, stderr } = spawnSync(shell, ['-c', `${command} > /dev/full`], { encoding: 'utf8' });
      expect(status).toBe(1);
      expect(stderr).toMatch(/^holdfast: standard output could not be written: .*ENOSPC.*\n$/);
    }
  });

  it('may be closed without harm to the database', (context) => {
    const shell = demand(context, findTool('sh'));
    const file = database();
    const command = shellQuoted([...cliCommand, 'sql', file, 'INSERT INTO t VALUES (3); SELECT * FROM t']);
    spawnSync(shell, ['-c', `${command} <&- >&- 2>&-`]);
    expect(sql(['--csv', file, 'PRAGMA integrity_check'])).toBe('integrity_check\r\nok\r\n');
    expect(sql(['--csv', file, 'SELECT max(a) AS m FROM t'])).toBe('m\r\n3\r\n');
  });
});
