// Functions wrapped in a transaction: begun, committed, rolled back; nested ones as savepoints.

import { stateError } from '../error.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';

/** How a transaction begins (https://sqlite.org/lang_transaction.html). */
export type TransactionKind = 'deferred' | 'immediate' | 'exclusive';

type AnyFunction = (this: never, ...args: never[]) => unknown;

/** A function that runs in a transaction, with variants for each way to begin it. */
export type Transaction<F extends AnyFunction> = F & {
  readonly default: Transaction<F>;
  /** Takes no lock before the first statement needs it. */
  readonly deferred: Transaction<F>;
  /** Takes the write lock at once: the right one for whoever reads first and then writes. */
  readonly immediate: Transaction<F>;
  /** As immediate, and keeps readers out too in rollback mode. */
  readonly exclusive: Transaction<F>;
  readonly database: Database;
};

const SAVEPOINT = '"holdfast transaction"';

export function makeTransaction<F extends AnyFunction>(database: Database, connection: Connection, fn: F): Transaction<F> {
  const variants = {} as Record<'default' | TransactionKind, Transaction<F>>;
  const variant = (kind: TransactionKind) =>
    function (this: unknown, ...args: unknown[]) {
      return runInTransaction(connection, kind, () => (fn as unknown as (...a: unknown[]) => unknown).apply(this, args));
    } as unknown as Transaction<F>;
  variants.default = variant('deferred');
  variants.deferred = variant('deferred');
  variants.immediate = variant('immediate');
  variants.exclusive = variant('exclusive');
  for (const made of Object.values(variants)) Object.defineProperties(made, properties({ ...variants, database }));
  return variants.default;
}

function properties(values: object): PropertyDescriptorMap {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));
}

function runInTransaction(connection: Connection, kind: TransactionKind, body: () => unknown): unknown {
  connection.demandOpen();
  const nested = connection.inTransaction;
  connection.exec(nested ? `SAVEPOINT ${SAVEPOINT}` : `BEGIN ${kind}`);
  try {
    const result = body();
    if (isThenable(result))
      throw stateError('A transaction function must not return a promise: it would be committed before its work is done');
    connection.demandOpen();
    connection.exec(nested ? `RELEASE ${SAVEPOINT}` : 'COMMIT');
    return result;
  } catch (error) {
    undo(connection, nested);
    throw error;
  }
}

/** SQLite itself rolls back after some errors (full disk, ON CONFLICT ROLLBACK); then nothing is left to undo. */
function undo(connection: Connection, nested: boolean): void {
  if (!connection.inTransaction) return;
  connection.exec(nested ? `ROLLBACK TO ${SAVEPOINT}; RELEASE ${SAVEPOINT}` : 'ROLLBACK');
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
