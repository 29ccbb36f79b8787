// What `holdfast doctor` takes: its arguments and options.

import type { DefineCommand } from '../define.ts';
import type { DoctorOptions } from './command.ts';

const HELP = `
Examines each PATH: a database, or a folder: its databases as of a home, or else every database that lies in it. Without PATH, those of the home: state.db,
profiles/*/state.db, shared-state.db, projects.db, kanban.db, kanban/boards/*/kanban.db, cron/executions.db and their like. The home is
--home, else $HERMES_HOME, else ~/.hermes.

Nothing is changed without --fix, which empties WALs and closes private files to other users: only while nobody has the
database open; otherwise it names the processes to stop.

--json: { databases: [{ label, path, journal: { configured, effective }, bytes, ground, wal, holders, lines }], engines, config,
healthy }. A line is { weight: info|warning|error|unknown, code, text, remedy }; codes are stable. A failure of the whole, such as a
home that does not exist, is { error: { code, message } } on standard output, with exit status 2; standard error then stays empty.

config.yaml is read as UTF-8 from a regular file of at most 1 MiB, with at most 100,000 words and marks and 100 levels of nesting;
any other is reported, and nothing of it has an effect.

Exit status: 0 healthy; 1 something needs action; 2 called wrongly, or something could not be told (missing, no permission).
`;

export const defineDoctor: DefineCommand = (program, end) => {
  program
    .command('doctor')
    .description('examine databases and the ground they stand on, and say what to do')
    .usage('[options] [PATH…]')
    .argument('[PATH...]', 'databases, or folders that hold some')
    .option('--home <dir>', "the agent's home")
    .option('-p, --profile <name>', 'only this profile of the home; "default" is the home itself')
    .option('--fix', 'do what can be done safely')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(async (paths: string[], options: DoctorOptions) => {
      const { runDoctor } = await import('./command.ts');
      end(await runDoctor(paths, options));
    });
};
