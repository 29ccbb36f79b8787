// What can be typed: commands, options and their help; and what each way of ending means as an exit status.

import { Command, CommanderError } from 'commander';
import { CallError } from './call-error.ts';
import type { DefineCommand } from './define.ts';
import { defineDoctor } from './doctor/define.ts';
import { EXIT } from './exit.ts';
import { defineJournal } from './journal/define.ts';
import { defineLocks } from './locks/define.ts';
import { defineMount } from './mount/define.ts';
import { escapeLine } from './output/escape.ts';
import { stderr, stdout } from './output/output.ts';
import { defineProbe } from './probe/define.ts';
import { protectSql, unreadableArgument } from './raw-arguments.ts';
import { reportFailure } from './report.ts';
import { defineSql } from './sql/define.ts';

/** Each defines one command; what a command does is loaded when it is run. */
const COMMANDS: readonly DefineCommand[] = [defineSql, defineDoctor, defineJournal, defineLocks, defineMount, defineProbe];

const VERSION_OPTIONS = new Set(['-V', '--version']);

/** Runs one command line, without the names of the runtime and the script; answers the exit status. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  try {
    const unreadable = unreadableArgument(argv);
    if (unreadable !== undefined) throw new CallError(unreadable);
    const status = await dispatch(argv);
    stdout.flush();
    return status;
  } catch (error) {
    return await statusOf(error);
  }
}

async function statusOf(error: unknown): Promise<number> {
  if (error instanceof CallError) {
    stderr.write(`holdfast: ${escapeLine(error.message)}\n`);
    return EXIT.usage;
  }
  await reportFailure(error);
  return EXIT.failure;
}

async function dispatch(argv: readonly string[]): Promise<number> {
  if (VERSION_OPTIONS.has(argv[0] ?? '')) {
    const { printVersion } = await import('./version.ts');
    await printVersion(stdout);
    return EXIT.ok;
  }
  let status: number = EXIT.ok;
  const program = new Command('holdfast')
    .description('Works on SQLite database files that other processes may be using at the same time.')
    .usage('COMMAND [options]')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (text, write) => write(`holdfast: ${escapeLine(text.replace(/^error: /, '').trimEnd())}\n`),
    })
    .option('-V, --version', 'print the versions of Holdfast, its engine and SQLite');
  const end = (exit: number) => {
    status = exit;
  };
  for (const define of COMMANDS) define(program, end, argv);
  try {
    await program.parseAsync(protectSql(argv), { from: 'user' });
  } catch (error) {
    // Help was asked for, or the parser has said already what it did not understand.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    throw error;
  }
  return status;
}
