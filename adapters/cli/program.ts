// What can be typed: commands, options and their help; and what each way of ending means as an exit status.

import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { CallError } from './call-error.ts';
import { escapeLine } from './output/escape.ts';
import { stderr, stdout } from './output/output.ts';
import { protectSql, unreadableArgument } from './raw-arguments.ts';
import { reportFailure } from './report.ts';
import { SQL_HELP } from './sql/help.ts';
import type { SqlOptions } from './sql/options.ts';

/** Exit statuses. */
export const EXIT = { ok: 0, failure: 1, usage: 2 } as const;

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
  addSql(program, argv, (exit) => {
    status = exit;
  });
  try {
    await program.parseAsync(protectSql(argv), { from: 'user' });
  } catch (error) {
    // Help was asked for, or the parser has said already what it did not understand.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    throw error;
  }
  return status;
}

function addSql(program: Command, argv: readonly string[], end: (status: number) => void): void {
  program
    .command('sql')
    .description('run SQL on a database file')
    .usage('[options] FILE [SQL]')
    .argument('FILE', 'the database: a file name, always taken as it is, or :memory:')
    .argument('[SQL]', 'any number of statements; without it they come from standard input, or are typed at a prompt')
    .addOption(new Option('--json', 'print results as JSON').conflicts('csv'))
    .option('--csv', 'print results as CSV (RFC 4180)')
    .addOption(new Option('--readonly', 'never write to the database').conflicts('create'))
    .option('--create', 'make FILE if it does not exist')
    .option('--param <value>', 'value of a parameter: VALUE or NAME=VALUE; may be repeated', collect, [])
    .option('--timeout <ms>', 'milliseconds to wait for a lock (default: 5000)', milliseconds)
    .addOption(new Option('--locking <kind>', 'how FILE is locked').choices(['kernel', 'dotfile']).default('kernel'))
    .addHelpText('after', SQL_HELP)
    .action(async (file: string, sql: string | undefined, options: SqlOptions) => {
      // What protectSql changed was not meant as a file name.
      if (!argv.includes(file)) throw new CallError(`unknown option '${file.trim()}'; write -- before a FILE that begins with -`);
      const { runSql } = await import('./sql/command.ts');
      end(await runSql(file, sql, options));
    });
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

function milliseconds(text: string): number {
  if (!/^\d{1,11}$/.test(text)) throw new InvalidArgumentError('It must be a number of milliseconds.');
  return Number(text);
}
