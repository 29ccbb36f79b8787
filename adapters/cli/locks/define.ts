// What `holdfast locks` takes: its arguments and options.

import { InvalidArgumentError, Option } from 'commander';
import type { DefineCommand } from '../define.ts';
import type { LocksOptions } from './command.ts';

const HELP = `
Finds every process that has FILE or a sidecar open (FILE-wal, FILE-shm, FILE-journal), under whatever name, and the locks of
SQLite that it holds: SHARED, RESERVED, PENDING and EXCLUSIVE on the main file; WAL-write, WAL-checkpoint, WAL-recover, WAL-read 0
to 4 and dead-man (any live connection) on the wal-index. A file marked (lost) is not at its path any more: what that process
writes to it, nobody else sees. Neither FILE nor a sidecar is opened. Linux only; other users' processes need root.

--json: { path, holders, unattributed, uninspected, limits }. A holder is { pid, command, startedAt, container, files, locks }:
startedAt in milliseconds since 1970; container null where it runs as we do; files [{ part: main|wal|shm|journal, lost }]; locks
[{ lock, kind: read|write, owner: POSIX|OFD }]. unattributed are locks whose holder cannot be found, uninspected is the number of
processes whose files cannot be seen, limits says in words what else may be missing. A failure is { path, error: { message } }.
With --watch there is one document on each line.

Exit status: 0 looked, whatever is held; 1 a process uses a file that is not at the path any more; 2 there is no FILE, or who holds
it cannot be told here. With --watch that of the last look.
`;

export const defineLocks: DefineCommand = (program, end) => {
  program
    .command('locks')
    .description('show which processes have a database open, and the locks they hold')
    .usage('[options] FILE')
    .argument('FILE', 'the database')
    .option('--watch', 'look again and again, until Ctrl-C')
    .addOption(new Option('--interval <seconds>', 'seconds between two looks of --watch').argParser(seconds).default(1))
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (file: string, options: LocksOptions) => {
      const { runLocks } = await import('./command.ts');
      end(await runLocks(file, options));
    });
};

/** A day at most: timers take no more than 24 days, and nobody waits that long. */
function seconds(text: string): number {
  const value = Number(text);
  if (!/^\d*\.?\d+$/.test(text) || value < 0.1 || value > 86_400)
    throw new InvalidArgumentError('It must be a number of seconds, from 0.1 to 86400.');
  return value;
}
