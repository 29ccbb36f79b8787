// The thread in which the prompt's statements run, so that the prompt stays awake and can cancel them.

import { parentPort, workerData } from 'node:worker_threads';
import type { Database } from '../../../core/database/database.ts';
import { makeFormat } from '../output/format.ts';
import { stdout } from '../output/output.ts';
import { reportFailure } from '../report.ts';
import { loadOpener } from '../runtime.ts';
import { formatOf, openOptionsOf } from '../sql/options.ts';
import { Params } from '../sql/params.ts';
import { type Outcome, Session } from '../sql/session.ts';
import { splitScript } from '../sql/split.ts';
import { engineVersions } from '../version.ts';
import { printSchema, printTables } from './catalog.ts';
import type { Answer, Request, Start } from './messages.ts';

const { file, options, interrupt } = workerData as Start;
const format = formatOf(options);
const params = new Params(options.param);

function answer(message: Answer): void {
  parentPort?.postMessage(message);
}

async function open(): Promise<Database | undefined> {
  try {
    const openSync = await loadOpener();
    const db = openSync(file, { ...openOptionsOf(options, options.create || file === ':memory:'), interrupt });
    answer({ opened: (await engineVersions()).sqliteVersion });
    return db;
  } catch (error) {
    await reportFailure(error);
    answer({ failed: true });
    return undefined;
  }
}

/** One request at a time: the prompt sends the next one when this one is done. */
async function serve(db: Database, request: Request): Promise<void> {
  try {
    if ('statements' in request) {
      // A new one each time, so that no empty line comes before its first result.
      const session = new Session(db, await makeFormat(format, stdout), stdout, params);
      for (const statement of request.statements.flatMap(splitScript)) tellOutcome(await session.run(statement));
    } else if ('command' in request) {
      const print = request.command === '.tables' ? printTables : printSchema;
      print(db, stdout, request.argument);
    }
  } catch (error) {
    stdout.flush();
    await reportFailure(error);
  }
  stdout.flush();
  answer({ done: true, inTransaction: db.inTransaction });
}

/** Only tables are for people; JSON and CSV stay what they are. */
function tellOutcome({ rows, changes }: Outcome): void {
  if (format !== 'table') return;
  if (rows !== undefined) stdout.write(`(${counted(rows, 'row')})\n`);
  else if (changes) stdout.write(`${counted(changes, 'row')} changed\n`);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

async function end(db: Database): Promise<void> {
  try {
    if (db.inTransaction) stdout.write('The open transaction is rolled back.\n');
    db.close();
  } catch (error) {
    await reportFailure(error);
  }
  stdout.flush();
  parentPort?.close();
}

const db = await open();
if (db) {
  parentPort?.on('message', (request: Request) => void ('end' in request ? end(db) : serve(db, request)));
}
