// What `holdfast probe` takes: its arguments and options.

import { InvalidArgumentError, Option } from 'commander';
import type { DefineCommand } from '../define.ts';
import type { ProbeOptions } from './command.ts';

/** A day; timers end at 24 days. */
const MOST_SECONDS = 86_400;
/** Names that --second takes are made by this program. */
const MEETING = /^[0-9a-f]{12}$/;

const HELP = `
Tries with files of its own, which it always removes, whether DIR gives what SQLite needs: locks that exclude, memory that is
shared, exclusive creation, renames, syncs, and writes that others see. It opens no database.

Without --peer two processes on this side try it with each other. That cannot show what crosses to another machine, guest
or container. For that run it with --peer on both sides at once, on the same folder:

  host$       holdfast probe ./data --peer
  container$  holdfast probe /data --peer

The two find each other through the folder alone and go through the same trials. Each reports what the other saw of it, and
what it saw of the other. With default settings no lock crosses virtiofs or 9p.

--json: { path, resolved, mode, verdict, exit, summary, advice, notTested, notes, mount, alone, exchange }.
  mode      one-side | peer
  verdict   all-crosses | all-holds | one-side-only | locks-fail | no-lock-crosses | locks-flawed | writes-late |
            no-shared-memory | memory-apart | names-unsafe | folder-unfit | no-peer | third-side | peer-left |
            peer-silent | out-of-step | folder-failed
  mount     { class, mountPoint, fsType, source, walSafe }, as in holdfast mount
  alone     { exclusiveCreate, grow, truncate, syncFile, syncDirectory, renameOver, unlinkOpen, lock, map, freeBytes }, each
            { outcome: works | fails | failed, why, call, errno }; null if it was not reached
  exchange  { us, them, sameKernel, waitedMs, nameMs, exclusiveCreate, makeDirectory, replacement, locks, writes, mapping,
            memory }, null if no other side came; a fact that was not reached is null.
            replacement, locks, writes, mapping and memory are { ours, theirs }: what the other side saw of ours, and what
            we saw of theirs. outcome says what; failed comes with call and errno. Times are milliseconds.

Exit status: 0 all that WAL needs was proved; 1 something does not hold; 2 could not tell (no other side came, the folder
cannot be written, one side of a mount that may be shared), or called wrongly.

Examples
  holdfast probe .
  holdfast probe /data --peer --timeout 300
`;

export const defineProbe: DefineCommand = (program, end) => {
  program
    .command('probe')
    .description('try whether locks, shared memory and writes work in a folder, and with --peer whether they cross a boundary')
    .usage('[options] DIR')
    .argument('DIR', 'the folder of a database, existing or planned')
    .addOption(new Option('--peer', 'meet another `holdfast probe --peer` on the other side of the boundary'))
    .option('--timeout <seconds>', 'how long to wait for the other side to come (default: 60)', seconds)
    .option('--json', 'print one JSON document')
    .addOption(
      new Option('--second <meeting>', 'be the second process of a probe').hideHelp().conflicts('peer').argParser(meeting),
    )
    .addHelpText('after', HELP)
    .action(async (directory: string, options: ProbeOptions) => {
      const { runProbe } = await import('./command.ts');
      end(await runProbe(directory, options));
    });
};

function seconds(text: string): number {
  const value = /^\d{1,5}(?:\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= MOST_SECONDS)) throw new InvalidArgumentError(`It must be a number of seconds up to ${MOST_SECONDS}.`);
  return value;
}

function meeting(text: string): string {
  if (!MEETING.test(text)) throw new InvalidArgumentError('It is for internal use.');
  return text;
}
