// The prompt on a pseudo-terminal: lines, commands, history, Ctrl-C.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, type TestContext } from 'vitest';
import { HISTORY_SIZE, History, historyFile } from '../../../adapters/cli/prompt/history.ts';
import { nativePeer } from '../../support/peer.ts';
import { openSync } from '../../support/runtimes.ts';
import { tempFolder, tempPath } from '../../support/temp-folder.ts';
import { demand, findPython } from '../../support/tools.ts';
import { cliCommand, sql } from './command.ts';

interface Step {
  expect: string;
  send?: string;
  signal?: string;
}

const PROMPT = 'holdfast> ';
const CTRL_C = '\x03';
const CTRL_D = '\x04';
const ENDLESS = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c;';

/** Talks to `holdfast sql` with these arguments; answers all that came out, and the exit status. */
async function talk(context: TestContext, args: string[], steps: Step[], state = tempFolder()) {
  const python = demand(context, findPython());
  const job = { command: [...cliCommand, 'sql', ...args], env: { XDG_STATE_HOME: state, TERM: 'xterm' }, steps };
  const child = spawn(python, [fileURLToPath(new URL('./terminal.py', import.meta.url)), JSON.stringify(job)]);
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  await once(child, 'close');
  return JSON.parse(out) as { transcript: string; status: number | null };
}

function database(): string {
  const file = tempPath();
  openSync(file, { journal: 'delete' })
    .exec('CREATE TABLE t(a); CREATE VIEW v AS SELECT a FROM t; INSERT INTO t VALUES (41)')
    .close();
  return file;
}

describe('the prompt', () => {
  it('runs a statement when it is complete, however many lines it takes', async (context) => {
    const { transcript, status } = await talk(
      context,
      [database()],
      [
        { expect: PROMPT, send: 'SELECT a + 1,\r' },
        { expect: '...> ', send: "'x;\r" },
        { expect: '...> ', send: "y' FROM t; SELECT 'seco' || 'nd';\r" },
        { expect: 'x;\\ny' },
        { expect: 'second\r\n(1 row)' },
        { expect: PROMPT, send: '.quit\r' },
      ],
    );
    expect(transcript).toMatch(/42\s+x;\\ny\r\n\(1 row\)/);
    expect(status).toBe(0);
  });

  it('knows .tables, .schema and .help, and says so of others', async (context) => {
    const { transcript, status } = await talk(
      context,
      [database()],
      [
        { expect: PROMPT, send: '.tables\r' },
        { expect: 't\r\nv\r\n' },
        { expect: PROMPT, send: '.schema t\r' },
        { expect: 'CREATE TABLE t(a);\r\n' },
        { expect: PROMPT, send: '.help\r' },
        { expect: 'Ctrl-C' },
        { expect: PROMPT, send: '.nonsense\r' },
        { expect: 'no command .nonsense' },
        { expect: PROMPT, send: CTRL_D },
      ],
    );
    expect(transcript).not.toContain('CREATE VIEW');
    expect(status).toBe(0);
  });

  for (const [name, cancel] of [
    ['Ctrl-C', { send: CTRL_C }],
    ['SIGINT', { signal: 'SIGINT' }],
  ] as const) {
    it(`cancels the running statement on ${name} and goes on`, async (context) => {
      const { transcript, status } = await talk(
        context,
        [database()],
        [
          { expect: PROMPT, send: `${ENDLESS}\r` },
          { expect: 'FROM c;\r\r\n', ...cancel },
          { expect: 'interrupted' },
          { expect: PROMPT, send: 'SELECT a + 1 FROM t;\r' },
          { expect: '42\r\n(1 row)' },
          { expect: PROMPT, send: '.quit\r' },
        ],
      );
      expect(transcript).toContain('holdfast: interrupted');
      expect(status).toBe(0);
    });
  }

  it('clears what was typed on Ctrl-C', async (context) => {
    const { status } = await talk(
      context,
      [database()],
      [
        { expect: PROMPT, send: "SELECT 'unfinished\r" },
        { expect: '...> ', send: `more${CTRL_C}` },
        { expect: '^C' },
        { expect: PROMPT, send: "SELECT 'fre' || 'sh';\r" },
        { expect: 'fresh' },
        { expect: PROMPT, send: '.quit\r' },
      ],
    );
    expect(status).toBe(0);
  });

  it('shows an open transaction, and rolls it back at the end', async (context) => {
    const file = database();
    const { status } = await talk(
      context,
      [file],
      [
        { expect: PROMPT, send: 'BEGIN; DELETE FROM t;\r' },
        { expect: '1 row changed' },
        { expect: 'holdfast*> ', send: 'SELECT * FROM missing;\r' },
        { expect: 'no such table' },
        { expect: 'holdfast*> ', send: '.quit\r' },
        { expect: 'rolled back' },
      ],
    );
    expect(status).toBe(0);
    expect(sql(['--csv', file, 'SELECT a FROM t'])).toBe('a\r\n41\r\n');
  });

  it('gives up waiting for a lock on Ctrl-C', async (context) => {
    const python = demand(context, findPython());
    const file = database();
    const native = nativePeer(python);
    await native.open(file);
    await native.rows('BEGIN EXCLUSIVE');
    const { transcript, status } = await talk(
      context,
      [file, '--timeout', '600000'],
      [
        { expect: PROMPT, send: 'SELECT * FROM t;\r' },
        { expect: 'FROM t;\r\r\n', send: CTRL_C },
        { expect: 'interrupted' },
        { expect: PROMPT, send: '.quit\r' },
      ],
    );
    expect(transcript).toMatch(/waited \d+ ms for the .* lock/);
    expect(status).toBe(0);
  });

  it('is not shown for a file that does not exist, unless it may be made', async (context) => {
    const missing = path.join(tempFolder(), 'x.db');
    const { transcript, status } = await talk(context, [missing], [{ expect: '--create' }]);
    expect(transcript).toContain(`there is no file ${missing}`);
    expect(status).toBe(1);
    expect(fs.existsSync(missing)).toBe(false);
    const made = await talk(context, [missing, '--create'], [{ expect: PROMPT, send: CTRL_D }]);
    expect(made.status).toBe(0);
  });

  it('ends with a failure if the file cannot be opened', async (context) => {
    const { transcript, status } = await talk(context, [tempFolder()], [{ expect: 'holdfast: ' }]);
    expect(transcript).toContain('EISDIR');
    expect(status).toBe(1);
  });

  it('remembers lines from session to session', async (context) => {
    const state = tempFolder();
    const file = database();
    const first = "SELECT 'remem' || 'bered';";
    await talk(
      context,
      [file],
      [{ expect: PROMPT, send: `${first}\r` }, { expect: 'remembered' }, { expect: PROMPT, send: CTRL_D }],
      state,
    );
    const kept = path.join(state, 'holdfast', 'sql-history');
    expect(fs.readFileSync(kept, 'utf8')).toBe(`${first}\n`);
    expect(fs.statSync(kept).mode & 0o777).toBe(0o600);
    const { status } = await talk(
      context,
      [file],
      [{ expect: PROMPT, send: '\x1b[A\r' }, { expect: 'remembered' }, { expect: PROMPT, send: CTRL_D }],
      state,
    );
    expect(status).toBe(0);
  });
});

describe('the history', () => {
  it('lies where the state of the user belongs', () => {
    expect(historyFile({ XDG_STATE_HOME: '/state' })).toBe('/state/holdfast/sql-history');
    expect(historyFile({ XDG_STATE_HOME: 'relative' })).toMatch(/\/\.local\/state\/holdfast\/sql-history$/);
    expect(historyFile({})).toMatch(/^\/.*\/\.local\/state\/holdfast\/sql-history$/);
  });

  it('is cut when it has become long, and keeps the newest lines first', () => {
    const file = path.join(tempFolder(), 'sql-history');
    fs.writeFileSync(file, Array.from({ length: 3 * HISTORY_SIZE }, (_, index) => `${index}\n`).join(''));
    const lines = new History(file).load();
    expect(lines).toHaveLength(HISTORY_SIZE);
    expect(lines[0]).toBe(String(3 * HISTORY_SIZE - 1));
    expect(fs.readFileSync(file, 'utf8').split('\n')).toHaveLength(HISTORY_SIZE + 1);
  });

  it('loses no line of two sessions side by side, and takes no repetition', () => {
    const file = path.join(tempFolder(), 'new', 'sql-history');
    const [one, other] = [new History(file), new History(file)];
    for (const line of ['a', 'a', ' ', 'b']) one.add(line);
    other.add('c');
    expect(new History(file).load()).toEqual(['c', 'b', 'a']);
  });

  it('that cannot be kept stops nobody', () => {
    const file = path.join(tempFolder(), 'plain-file');
    fs.writeFileSync(file, '');
    const history = new History(path.join(file, 'sql-history'));
    expect(() => history.add('a')).not.toThrow();
    expect(history.load()).toEqual([]);
  });
});
