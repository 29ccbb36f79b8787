// Runs the built command as a process of its own.

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleUrl, currentRuntime } from '../../support/runtimes.ts';

export interface Ran {
  status: number | null;
  out: string;
  err: string;
}

export const cliFile = path.join(path.dirname(fileURLToPath(bundleUrl('node'))), 'cli.js');
export const cliCommand = [...currentRuntime.command, cliFile];

/** Runs `holdfast` with these arguments; `input` is its standard input, which is never a terminal. */
export function holdfast(args: string[], options: { input?: string | Uint8Array; cwd?: string } = {}): Ran {
  const [file, ...before] = cliCommand as [string, ...string[]];
  const { status, stdout, stderr } = spawnSync(file, [...before, ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    input: options.input ?? '',
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  return { status, out: stdout, err: stderr };
}

/** Runs `holdfast sql`, which must not fail, and answers what it printed. */
export function sql(args: string[], options: { input?: string | Uint8Array; cwd?: string } = {}): string {
  const { status, out, err } = holdfast(['sql', ...args], options);
  if (status !== 0) throw new Error(`holdfast sql ${args.join(' ')} ended with ${status}: ${err}`);
  return out;
}

/** Quotes for a shell. */
export function shellQuoted(words: string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}
