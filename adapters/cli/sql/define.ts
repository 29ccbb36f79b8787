// What `holdfast sql` takes: its arguments and options.

import { InvalidArgumentError, Option } from 'commander';
import { CallError } from '../call-error.ts';
import type { DefineCommand } from '../define.ts';
import { SQL_HELP } from './help.ts';
import type { SqlOptions } from './options.ts';

export const defineSql: DefineCommand = (program, end, argv) => {
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
      const { runSql } = await import('./command.ts');
      end(await runSql(file, sql, options));
    });
};

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

function milliseconds(text: string): number {
  if (!/^\d{1,11}$/.test(text)) throw new InvalidArgumentError('It must be a number of milliseconds.');
  return Number(text);
}
