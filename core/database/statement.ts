// A prepared statement: binding, running, and rows one by one or all at once.

import * as code from '../../vfs/codes.ts';
import type { Pointer } from '../engine/engine.ts';
import { withCString } from '../engine/strings.ts';
import { stateError, usageError } from '../error.ts';
import type { Connection, Finalizable } from './connection.ts';
import type { Database } from './database.ts';
import { type BindArguments, Parameters } from './parameters.ts';
import { type ColumnDefinition, columnDefinitions, type RowMode, rowMaker } from './rows.ts';
import { STATIC, TRANSIENT } from './values.ts';

/** The statement will be used more than once, so SQLite takes its memory from the heap and not from the connection's pool. */
const PREPARE_PERSISTENT = 1;
/** Counter of automatic re-prepares after a change of schema (https://sqlite.org/c3ref/c_stmtstatus_counter.html). */
const STMTSTATUS_REPREPARE = 5;

/** What a statement that returns no rows has done. */
export interface RunResult {
  /** Rows inserted, updated or deleted by this statement itself, not by its triggers. */
  changes: number;
  /** The last row id inserted on this connection; a BigInt where asked for, or where a number could not hold it. */
  lastInsertRowid: number | bigint;
}

/** The compiled form, apart from the Statement, so that it can be finalized when the Statement is garbage. */
class Compiled implements Finalizable {
  pointer: Pointer;
  readonly #connection: Connection;

  constructor(connection: Connection, pointer: Pointer) {
    this.#connection = connection;
    this.pointer = pointer;
    connection.adopt(this);
  }

  finalize(): void {
    if (this.pointer === 0) return;
    const { pointer } = this;
    this.pointer = 0;
    this.#connection.disown(this);
    this.#connection.runtime.engine.c.finalize(pointer);
  }
}

const garbage = new FinalizationRegistry<Compiled>((compiled) => compiled.finalize());

/**
 * A statement prepared by {@link Database.prepare}. It is finalized with its database, or when it becomes garbage.
 *
 * Parameters are given as values in order, as arrays, or as one plain object by name (without the `:`, `@` or `$`).
 */
export class Statement<Row = unknown> {
  /** The database that prepared it. */
  readonly database: Database;
  /** The SQL text. */
  readonly source: string;
  /** True if it returns rows: use get, all or iterate; else use run. */
  readonly reader: boolean;
  /** True if it cannot change the database (https://sqlite.org/c3ref/stmt_readonly.html). */
  readonly readonly: boolean;
  readonly #connection: Connection;
  readonly #compiled: Compiled;
  readonly #parameters: Parameters;
  #mode: RowMode = 'object';
  #wide: boolean;
  #bound = false;
  #iterating = false;
  #makeRow: ((stmt: Pointer, wide: boolean) => unknown) | undefined;
  #prepares = 0;

  /** @internal Use {@link Database.prepare}. */
  constructor(database: Database, connection: Connection, source: string) {
    const { c } = connection.runtime.engine;
    const pointer = compile(connection, source);
    this.database = database;
    this.source = source;
    this.#connection = connection;
    this.#compiled = new Compiled(connection, pointer);
    garbage.register(this, this.#compiled);
    this.#parameters = new Parameters(connection.runtime, pointer);
    this.#wide = connection.safeIntegers;
    this.reader = c.columnCount(pointer) > 0;
    this.readonly = c.stmtReadonly(pointer) !== 0;
  }

  /** True while it is being iterated. */
  get busy(): boolean {
    return this.#iterating;
  }

  /**
   * Executes a statement that returns no rows.
   * @throws StateError if it returns rows, or its database is closed, busy or iterating; ValueError for wrong parameters;
   * SqliteError and its kin for what SQLite refuses.
   */
  run(...params: BindArguments): RunResult {
    if (this.reader) throw stateError('This statement returns rows. Use get(), all() or iterate()');
    const stmt = this.#start(params, STATIC);
    const { c } = this.#connection.runtime.engine;
    const db = this.#connection.pointer;
    const before = c.totalChanges(db);
    this.#finish(stmt, c.step(stmt));
    const changes = c.totalChanges(db) === before ? 0 : c.changes(db);
    const rowid = c.lastInsertRowid(db);
    return { changes, lastInsertRowid: this.#wide ? rowid : narrow(rowid) };
  }

  /** Executes it and answers the first row, or undefined if there is none. Throws as {@link Statement.run} does. */
  get(...params: BindArguments): Row | undefined {
    this.#demandReader();
    const stmt = this.#start(params, STATIC);
    const result = this.#connection.runtime.engine.c.step(stmt);
    let row: Row | undefined;
    if (result === code.ROW) {
      try {
        row = this.#row(stmt);
      } catch (error) {
        this.#giveUp(stmt);
        throw error;
      }
    }
    // Where the statement writes (RETURNING), its reset is the commit, and may fail.
    this.#finish(stmt, result);
    return row;
  }

  /** Executes it and answers all rows. Throws as {@link Statement.run} does. */
  all(...params: BindArguments): Row[] {
    this.#demandReader();
    const stmt = this.#start(params, STATIC);
    const { c } = this.#connection.runtime.engine;
    const rows: Row[] = [];
    let result = c.step(stmt);
    if (result === code.ROW) {
      try {
        rows.push(this.#row(stmt));
        const makeRow = this.#makeRow as (stmt: Pointer, wide: boolean) => Row;
        const wide = this.#wide;
        for (result = c.step(stmt); result === code.ROW; result = c.step(stmt)) rows.push(makeRow(stmt, wide));
      } catch (error) {
        this.#giveUp(stmt);
        throw error;
      }
    }
    this.#finish(stmt, result);
    return rows;
  }

  /**
   * Executes it and answers its rows one by one. Until the loop has ended (or was left) nothing may write through the same
   * database. Throws as {@link Statement.run} does.
   */
  iterate(...params: BindArguments): IterableIterator<Row> {
    this.#demandReader();
    // Other statements run between two rows and use the scratch memory, so SQLite makes its own copies.
    const stmt = this.#start(params, TRANSIENT);
    this.#connection.runtime.scratch.clear();
    this.#iterating = true;
    this.#connection.iterators++;
    let live = true;
    const stop = () => {
      if (!live) return;
      live = false;
      this.#iterating = false;
      this.#connection.iterators--;
    };
    const next = (): IteratorResult<Row> => {
      if (!live) return { done: true, value: undefined };
      if (this.#compiled.pointer === 0) {
        stop();
        throw stateError('The database is closed');
      }
      this.#connection.demandOpen();
      try {
        const result = this.#connection.runtime.engine.c.step(stmt);
        if (result === code.ROW) return { done: false, value: this.#row(stmt) };
        stop();
        this.#finish(stmt, result);
        return { done: true, value: undefined };
      } catch (error) {
        if (live) this.#giveUp(stmt);
        stop();
        throw error;
      }
    };
    return {
      next,
      return: (value?: Row) => {
        if (live) this.#giveUp(stmt);
        stop();
        return { done: true, value: value as Row };
      },
      [Symbol.iterator]() {
        return this;
      },
    };
  }

  /** Binds values for good: later calls take none. Can be called once. */
  bind(...params: BindArguments): this {
    if (this.#bound) throw stateError('The parameters of this statement are bound already');
    this.#demandIdle();
    const result = this.#parameters.bind(params, TRANSIENT);
    this.#connection.runtime.scratch.clear();
    if (result !== code.OK) throw this.#connection.failure(result);
    this.#bound = true;
    return this;
  }

  /** Rows come as the value of their first column alone. */
  pluck(on = true): this {
    return this.#setMode('pluck', on);
  }

  /** Rows come as arrays. */
  raw(on = true): this {
    return this.#setMode('raw', on);
  }

  /** Rows come as one object for each table, columns of no table under `$`. */
  expand(on = true): this {
    return this.#setMode('expand', on);
  }

  /** Integers come as BigInts; else as numbers, and one that a number cannot hold exactly is a ValueError. */
  safeIntegers(on = true): this {
    this.#demandIdle();
    this.#wide = on;
    return this;
  }

  /** What is known of the columns of the result. */
  columns(): ColumnDefinition[] {
    this.#demandReader();
    this.#connection.demandOpen();
    return columnDefinitions(this.#connection.runtime.reader, this.#live());
  }

  #setMode(mode: RowMode, on: boolean): this {
    this.#demandReader();
    this.#demandIdle();
    if (on) this.#mode = mode;
    else if (this.#mode === mode) this.#mode = 'object';
    this.#makeRow = undefined;
    return this;
  }

  #demandReader(): void {
    if (!this.reader) throw stateError('This statement returns no rows. Use run()');
  }

  #demandIdle(): void {
    this.#connection.demandOpen();
    if (this.#iterating)
      throw stateError('This statement is being iterated: finish the loop, or leave it, before using it again');
  }

  #live(): Pointer {
    if (this.#compiled.pointer === 0) throw stateError('The database is closed');
    return this.#compiled.pointer;
  }

  /** Checks the state, binds, and answers the pointer, ready for its first step. */
  #start(params: BindArguments, destructor: number): Pointer {
    this.#demandIdle();
    if (!this.readonly) this.#connection.demandNoIterators();
    const stmt = this.#live();
    this.#connection.begin();
    if (this.#bound) {
      if (params.length > 0) throw stateError('The parameters of this statement are bound already');
      return stmt;
    }
    if (params.length > 0 || this.#parameters.count > 0) {
      const result = this.#parameters.bind(params, destructor);
      if (result !== code.OK) {
        this.#connection.runtime.scratch.clear();
        throw this.#connection.failure(result);
      }
    }
    return stmt;
  }

  /** Ends an execution whose last step answered `result`; throws if it, or the commit that its end brings, failed. */
  #finish(stmt: Pointer, result: number): void {
    const { c } = this.#connection.runtime.engine;
    const ended = result === code.ROW || result === code.DONE;
    const error = ended ? undefined : this.#connection.failure(result);
    const resetResult = c.reset(stmt);
    this.#connection.runtime.scratch.clear();
    if (error) throw error;
    if (resetResult !== code.OK) throw this.#connection.failure(resetResult);
  }

  /** Ends an execution because of an error that is on its way already. */
  #giveUp(stmt: Pointer): void {
    this.#connection.runtime.engine.c.reset(stmt);
    this.#connection.runtime.scratch.clear();
  }

  #row(stmt: Pointer): Row {
    const { engine, reader } = this.#connection.runtime;
    // A change of schema may have given the result other columns.
    const prepares = engine.c.stmtStatus(stmt, STMTSTATUS_REPREPARE, 0);
    if (this.#makeRow === undefined || prepares !== this.#prepares) {
      this.#makeRow = rowMaker(reader, stmt, this.#mode);
      this.#prepares = prepares;
    }
    return this.#makeRow(stmt, this.#wide) as Row;
  }
}

function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Compiles exactly one statement. */
function compile(connection: Connection, source: string): Pointer {
  demandSqlText(source);
  connection.demandOpen();
  connection.begin();
  const { engine } = connection.runtime;
  const { c, memory } = engine;
  const out = c.malloc(8);
  try {
    return withCString(engine, source, (zSql, bytes) => {
      let at = zSql;
      let found = 0;
      while (at < zSql + bytes) {
        const result = c.prepareV3(connection.pointer, at, zSql + bytes - at + 1, PREPARE_PERSISTENT, out, out + 4);
        const stmt = result === code.OK ? (memory.i32[out >> 2] as number) : 0;
        if (found !== 0 && (result !== code.OK || stmt !== 0)) {
          c.finalize(found);
          c.finalize(stmt);
          throw usageError('The SQL text contains more than one statement. Use exec() for scripts');
        }
        if (result !== code.OK) throw connection.failure(result);
        found ||= stmt;
        at = memory.i32[(out + 4) >> 2] as number;
      }
      if (found === 0) throw usageError('The SQL text contains no statement');
      return found;
    });
  } finally {
    c.free(out);
  }
}

/** SQL must be text that C can take as it is: a NUL would end it early, a lone surrogate would become another character. */
export function demandSqlText(source: unknown): asserts source is string {
  if (typeof source !== 'string') throw usageError(`SQL must be a string, not ${typeof source}`);
  if (source.includes('\0')) throw usageError('The SQL text contains a NUL character, at which SQLite would stop reading');
  if (!source.isWellFormed()) throw usageError('The SQL text contains a lone surrogate (half of a character)');
}
