// The other engines of this machine: real ones, and programs that answer nonsense, too late or never.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findEngines } from '../../../../adapters/cli/doctor/engines.ts';
import { walResetVerdict } from '../../../../core/doctor/wal-reset.ts';
import { isBun } from '../../../support/runtimes.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { demand, findPython, findTool } from '../../../support/tools.ts';

/** A folder for PATH with programs made of shell lines. */
function folderWith(programs: Record<string, string>): string {
  const folder = tempFolder();
  for (const [name, script] of Object.entries(programs))
    fs.writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return folder;
}

/** Without the engine of the runtime that runs this test. */
async function others(folders: string, timeoutMs = 10_000) {
  return (await findEngines({ folders, timeoutMs })).filter(({ program }) => program !== process.execPath);
}

describe('real engines', () => {
  it('python3 is asked as itself', async (context) => {
    const python = demand(context, findPython());
    const version = execFileSync(python, ['-c', 'import sqlite3; print(sqlite3.sqlite_version)'], { encoding: 'utf8' }).trim();
    const folder = tempFolder();
    fs.symlinkSync(python, path.join(folder, 'python3'));
    const expected = { name: 'python3', program: path.join(folder, 'python3'), version, verdict: walResetVerdict(version) };
    expect(await others(folder)).toEqual([expected]);
  });

  it('the sqlite3 tool reads no start-up file', async (context) => {
    const tool = demand(context, findTool('sqlite3'));
    const version = execFileSync(tool, ['-init', '/dev/null', ':memory:', 'select sqlite_version()'], {
      encoding: 'utf8',
    }).trim();
    const home = tempFolder();
    const mark = path.join(home, 'mark');
    fs.writeFileSync(path.join(home, '.sqliterc'), `.shell touch ${mark}\nselect 'noise';\n`);
    const folder = folderWith({ sqlite3: `HOME=${home} exec ${tool} "$@"` });
    expect(await others(folder)).toMatchObject([{ name: 'sqlite3', version, verdict: walResetVerdict(version) }]);
    expect(fs.existsSync(mark)).toBe(false);
  });

  it('the runtime that runs us is told once, wherever it lies', async () => {
    const folder = tempFolder();
    fs.symlinkSync(process.execPath, path.join(folder, isBun ? 'bun' : 'node'));
    const own = isBun ? 'bun:sqlite' : 'node:sqlite';
    const inside = isBun || process.versions.sqlite !== undefined;
    for (const folders of [folder, '']) {
      const found = await findEngines({ folders, timeoutMs: 10_000 });
      expect(found.filter(({ name }) => name === own)).toHaveLength(inside ? 1 : 0);
      expect(found).toHaveLength(inside ? 1 : 0);
    }
    if (!isBun && inside) expect((await findEngines({ folders: '' }))[0]?.version).toBe(process.versions.sqlite);
  });
});

describe('programs on PATH', () => {
  it('each is found once, with its verdict, and only by its very name', async () => {
    const first = folderWith({
      sqlite3: 'echo 3.51.2 2026-01-09',
      python3: 'echo 3.51.3',
      'python3.12': 'echo 3.1.1',
      sqlite: 'echo 3.1.1',
    });
    const second = folderWith({ sqlite3: 'echo 3.44.6' });
    fs.symlinkSync(path.join(first, 'python3'), path.join(second, 'python3'));
    const found = await others(`${first}:${second}:${first}`);
    const brief = found.map(({ name, version, verdict }) => [name, version, verdict].join(' ')).sort();
    expect(brief).toEqual(['python3 3.51.3 fixed', 'sqlite3 3.44.6 fixed', 'sqlite3 3.51.2 vulnerable']);
  });

  it('those that answer nonsense, fail, or are no programs are left out', async () => {
    const folder = folderWith({
      python3: 'echo Traceback; exit 1',
      sqlite3: 'echo 3.40.1; exit 3',
      node: 'echo undefined',
      bun: 'yes 3.40.1',
    });
    expect(await others(folder)).toEqual([]);
    const odd = tempFolder();
    fs.mkdirSync(path.join(odd, 'python3'));
    fs.writeFileSync(path.join(odd, 'sqlite3'), 'no program', { mode: 0o755 });
    fs.writeFileSync(path.join(odd, 'bun'), '#!/bin/sh\necho 1.2.3', { mode: 0o644 });
    fs.symlinkSync('nowhere', path.join(odd, 'node'));
    expect(await others(`${odd}:/nowhere:${folder}`)).toEqual([]);
  });

  it('nothing is run from a relative folder, nor is code loaded from the working directory', async () => {
    const folder = folderWith({ sqlite3: 'echo 3.40.1' });
    const relative = path.relative(process.cwd(), folder);
    expect(await others(`${relative}:.:`)).toEqual([]);
    const asked = folderWith({
      python3: 'echo "3.40.1"; pwd > "$(dirname "$0")/cwd"; echo "$NODE_OPTIONS" >> "$(dirname "$0")/cwd"',
    });
    await others(asked);
    expect(fs.readFileSync(path.join(asked, 'cwd'), 'utf8')).toBe('/\n\n');
  });

  it('one that hangs, with a child that keeps its output open, is stopped', async () => {
    const folder = folderWith({ python3: 'sleep 1000 & echo $! > "$(dirname "$0")/pid"; wait', sqlite3: 'echo 3.40.1' });
    expect(await others(folder, 1000)).toMatchObject([{ name: 'sqlite3', version: '3.40.1' }]);
    const pid = Number(fs.readFileSync(path.join(folder, 'pid'), 'utf8'));
    const state = () => {
      try {
        return fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0];
      } catch {
        return undefined;
      }
    };
    while (![undefined, 'Z', 'X'].includes(state())) await new Promise((resolve) => setTimeout(resolve, 5));
  });
});
