// Programs of the machine that some tests need, and skipping with the reason where one is missing.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'vitest';

/** What a test needs, or why it cannot run here. */
export type Need<T = string> = { found: T } | { missing: string };

/** What was found; where it was not, ends the test as skipped and says why. */
export function demand<T>(context: TestContext, need: Need<T>): T {
  if ('found' in need) return need.found;
  console.warn(`skipped: ${context.task.name}: ${need.missing}`);
  return context.skip(need.missing);
}

function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, name)).find((file) => fs.existsSync(file));
}

function output([file, ...parameters]: string[]): string | undefined {
  try {
    return execFileSync(file as string, parameters, { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** Whether a command can be run and ends well. */
export function answers(command: string[]): boolean {
  return output(command) !== undefined;
}

/** Bun, by the variable BUN, on PATH or among the installed packages. */
export function findBun(): string | undefined {
  const installed = fileURLToPath(new URL('../../node_modules/.bin/bun', import.meta.url));
  const named = process.env.BUN;
  return [named, onPath('bun'), installed].find((file) => file !== undefined && fs.existsSync(file));
}

const PYTHON_CHECK = 'import sys, sqlite3; sqlite3.SQLITE_BUSY_SNAPSHOT; print(sys.executable)';

/** Python with its sqlite3 module, at least 3.11, the first that names extended result codes; run by `before`, if given. */
export function findPython(before: string[] = []): Need {
  for (const file of [onPath('python3'), '/usr/bin/python3']) {
    // The program itself, and not a script that chooses one.
    const program = file && output([...before, file, '-c', PYTHON_CHECK]);
    if (program && answers([...before, program, '-c', PYTHON_CHECK])) return { found: program };
  }
  return { missing: 'no python3 (3.11 or newer) with its sqlite3 module, which is the native SQLite of these tests' };
}

/** A command on PATH. */
export function findTool(name: string): Need {
  const file = onPath(name);
  return file ? { found: file } : { missing: `${name} is not on PATH` };
}

export function findRoot(): Need<true> {
  return process.geteuid?.() === 0 ? { found: true } : { missing: 'only root can do this' };
}
