// Whether a database file that does not exist may be made: a mistyped name must not leave an empty database behind.

import fs from 'node:fs';
import { PlainFailure, StatementFailure } from '../report.ts';
import { loadOpener } from '../runtime.ts';
import type { SqlText } from './split.ts';

/** They do nothing by themselves, so the statement behind them decides. */
const UNDECIDED = new Set(['PRAGMA', 'BEGIN', 'SAVEPOINT']);

export function isMissing(file: string): boolean {
  if (file === ':memory:') return false;
  try {
    return fs.statSync(file, { throwIfNoEntry: false }) === undefined;
  } catch {
    // Opening it will tell what is wrong.
    return false;
  }
}

/** True if a script that begins so far has not shown yet whether it makes something. */
export function isUndecided(statement: SqlText): boolean {
  return UNDECIDED.has(statement.head[0] ?? '');
}

export function noSuchFile(file: string, more: string): PlainFailure {
  return new PlainFailure(`there is no file ${file}; ${more}`);
}

/** Throws unless this, the first statement that matters, makes something in an empty database. */
export async function demandCreating(file: string, statement: SqlText | undefined): Promise<void> {
  const [create, kind] = statement?.head ?? [];
  if (!statement || create !== 'CREATE' || kind === 'TEMP' || kind === 'TEMPORARY')
    throw noSuchFile(file, 'it is made only with --create, or by SQL that begins with CREATE');
  const openSync = await loadOpener();
  const empty = openSync(':memory:');
  try {
    empty.prepare(statement.text);
  } catch (error) {
    throw new StatementFailure(statement, error);
  } finally {
    empty.close();
  }
}
