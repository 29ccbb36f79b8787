// What `holdfast journal` takes: its arguments and options.

import { Argument } from 'commander';
import type { DefineCommand } from '../define.ts';
import type { JournalOptions } from './command.ts';

const HELP = `
Without a mode: what is configured (config.yaml of the home that FILE lies in), what is in effect (bytes 18 and 19 of the file),
and what is advised on this mount. With a mode: the offline conversion. It refuses, naming the processes, while anybody has
the file open; it takes the file for itself, checkpoints, converts, and reads back both the pragma and the header.

--json: { path, configured, configFile, effective, advised, ground, findings } or, with a mode,
{ path, from, to, changed, pragma, header, findings }; a refusal is { path, error: { code, message, hint, holders } },
and a FILE that is none { path, error: { message } }.

Exit status: 0 in order, or converted; 1 needs action, or refused; 2 called wrongly, or could not tell.
`;

export const defineJournal: DefineCommand = (program, end) => {
  program
    .command('journal')
    .description('show the journal mode of a database, or convert it while nobody uses it')
    .usage('[options] FILE [delete|wal]')
    .argument('FILE', 'the database')
    .addArgument(new Argument('[MODE]', 'the mode to convert to').choices(['delete', 'wal']))
    .option('--home <dir>', 'the home whose config.yaml counts (default: the nearest above FILE)')
    .option('--force', 'convert to WAL even where it is not safe')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(async (file: string, mode: 'wal' | 'delete' | undefined, options: JournalOptions) => {
      const { runJournal } = await import('./command.ts');
      end(await runJournal(file, mode, options));
    });
};
