// The command `holdfast sql`: chooses where the SQL comes from, opens the database, and runs it to the end.

import tty from 'node:tty';
import type { Database } from '../../../core/database/database.ts';
import { CallError } from '../call-error.ts';
import { makeFormat } from '../output/format.ts';
import { stdout } from '../output/output.ts';
import { loadOpener } from '../runtime.ts';
import { statementsFromInput } from './input.ts';
import { demandCreating, isMissing, isUndecided, noSuchFile } from './missing-file.ts';
import { formatOf, openOptionsOf, type SqlOptions } from './options.ts';
import { Params } from './params.ts';
import { Session } from './session.ts';
import { type SqlText, splitScript } from './split.ts';

/** Statements run without a break; then the event loop gets its turn, so that what they left behind can be cleaned up. */
const TURN = 1000;

/** Answers the exit status. */
export async function runSql(file: string, sql: string | undefined, options: SqlOptions): Promise<number> {
  if (file === '') throw new CallError('FILE is empty');
  const params = new Params(options.param);
  if (sql !== undefined) return runScript(file, fromArgument(sql, params), options, params);
  if (!tty.isatty(0))
    return runScript(
      file,
      statementsFromInput(() => stdout.flush()),
      options,
      params,
    );
  if (isMissing(file) && !options.create) throw noSuchFile(file, 'give --create to make it');
  const { runPrompt } = await import('../prompt/prompt.ts');
  return runPrompt(file, options);
}

/** All statements of the argument. What no statement uses is found before anything runs. */
function fromArgument(sql: string, params: Params): Iterator<SqlText> {
  const statements = splitScript(sql);
  for (const statement of statements) params.note(statement);
  if (params.unused !== undefined) throw new CallError(params.unused);
  return statements.values();
}

async function runScript(file: string, script: Iterator<SqlText>, options: SqlOptions, params: Params): Promise<number> {
  const mayCreate = options.create || file === ':memory:';
  const begun = !mayCreate && isMissing(file) ? await creatingBeginning(file, script, options) : [];
  const openSync = await loadOpener();
  const db = openSync(file, openOptionsOf(options, mayCreate || begun.length > 0));
  let failed = true;
  try {
    const session = new Session(db, await makeFormat(formatOf(options), stdout), stdout, params);
    let count = 0;
    for (const statement of chain(begun, script)) {
      params.note(statement);
      await session.run(statement);
      if (++count % TURN === 0) await new Promise(setImmediate);
    }
    if (params.unused !== undefined) throw new CallError(params.unused);
    failed = false;
  } finally {
    // What was answered before a failure comes before its message.
    stdout.flush();
    closeAfter(db, failed);
  }
  return 0;
}

/** Closing may fail as well, which matters only if nothing did before. */
function closeAfter(db: Database, failed: boolean): void {
  try {
    db.close();
  } catch (error) {
    if (!failed) throw error;
  }
}

/** Reads up to the statement that shows that this script makes a database; throws if it does not. */
async function creatingBeginning(file: string, script: Iterator<SqlText>, options: SqlOptions): Promise<SqlText[]> {
  if (options.readonly) throw noSuchFile(file, 'with --readonly it is not made');
  const begun: SqlText[] = [];
  let next = script.next();
  for (; !next.done && isUndecided(next.value); next = script.next()) begun.push(next.value);
  await demandCreating(file, next.done ? undefined : next.value);
  if (!next.done) begun.push(next.value);
  return begun;
}

function* chain(first: SqlText[], rest: Iterator<SqlText>): Generator<SqlText> {
  yield* first;
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value;
}
