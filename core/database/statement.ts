// A prepared statement: binding, running, and rows one by one or all at once.

import * as code from '../../vfs/codes.ts';
import type { Pointer } from '../engine/engine.ts';
import { stateError } from '../error.ts';
import { Compiled, demandSqlText } from './compiled.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import { type BindArguments, Parameters } from './parameters.ts';
import { type ColumnDefinition, columnDefinitions, type RowMode, rowMaker } from './rows.ts';
import { STATIC, TRANSIENT } from './values.ts';

/** Counter of automatic re-prepares after a change of schema (https://sqlite.org/c3ref/c_stmtstatus_counter.html). */
const STMTSTATUS_REPREPARE = 5;

/** What a statement that returns no rows has done. */
export interface RunResult {
  /** Rows inserted, updated or deleted by this statement itself, not by its triggers. */
  changes: number;
  /** The last row id inserted on this connection; a BigInt where asked for, or where a number could not hold it. */
  lastInsertRowid: number | bigint;
}

const garbage = new FinalizationRegistry<Compiled>((compiled) => compiled.finalize());
/** Iterators that were neither finished nor left: without them their database could not be written or closed any more. */
const forgotten = new FinalizationRegistry<() => void>((abandon) => abandon());

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
  #generation = 0;

  /** @internal Use {@link Database.prepare}. */
  constructor(database: Database, connection: Connection, source: string) {
    demandSqlText(source);
    const { c } = connection.runtime.engine;
    this.database = database;
    this.source = source;
    this.#connection = connection;
    this.#compiled = new Compiled(connection, source);
    const pointer = this.#compiled.live();
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
    const { engine, scratch } = this.#connection.runtime;
    const { c } = engine;
    const db = this.#connection.pointer;
    try {
      const before = c.totalChanges(db);
      this.#finish(stmt, c.step(stmt));
      const changes = c.totalChanges(db) === before ? 0 : c.changes(db);
      const rowid = c.lastInsertRowid(db);
      return { changes, lastInsertRowid: this.#wide ? rowid : narrow(rowid) };
    } finally {
      scratch.leave();
    }
  }

  /** Executes it and answers the first row, or undefined if there is none. Throws as {@link Statement.run} does. */
  get(...params: BindArguments): Row | undefined {
    this.#demandReader();
    const stmt = this.#start(params, STATIC);
    try {
      const result = this.#connection.runtime.engine.c.step(stmt);
      const row = result === code.ROW ? this.#rowOrGiveUp(stmt) : undefined;
      // Where the statement writes (RETURNING), its reset is the commit, and may fail.
      this.#finish(stmt, result);
      return row;
    } finally {
      this.#connection.runtime.scratch.leave();
    }
  }

  /** Executes it and answers all rows. Throws as {@link Statement.run} does. */
  all(...params: BindArguments): Row[] {
    this.#demandReader();
    const stmt = this.#start(params, STATIC);
    try {
      const rows: Row[] = [];
      this.#finish(stmt, this.#collect(stmt, rows));
      return rows;
    } finally {
      this.#connection.runtime.scratch.leave();
    }
  }

  /**
   * Executes it and answers its rows one by one. Until the loop has ended (or was left) nothing may write through the same
   * database. Throws as {@link Statement.run} does.
   */
  iterate(...params: BindArguments): IterableIterator<Row> {
    this.#demandReader();
    // Other statements run between two rows and use the scratch memory, so SQLite makes its own copies.
    const stmt = this.#start(params, TRANSIENT);
    this.#connection.runtime.scratch.leave();
    this.#iterating = true;
    this.#compiled.pinned = true;
    this.#connection.iterators++;
    let live = true;
    const stop = () => {
      if (!live) return;
      live = false;
      this.#iterating = false;
      this.#compiled.pinned = this.#bound;
      this.#connection.iterators--;
    };
    const next = (): IteratorResult<Row> => {
      if (!live) return { done: true, value: undefined };
      if (this.#compiled.isDropped) {
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
    const abandon = () => {
      if (live && !this.#compiled.isDropped) this.#giveUp(stmt);
      stop();
    };
    const iterator: IterableIterator<Row> = {
      next,
      return: (value?: Row) => {
        // Resetting a statement from inside its own step would pull the ground from under SQLite.
        if (live && this.#connection.isOpen) this.#connection.demandOpen();
        abandon();
        return { done: true, value: value as Row };
      },
      [Symbol.iterator]() {
        return this;
      },
    };
    forgotten.register(iterator, abandon);
    return iterator;
  }

  /** Binds values for good: later calls take none. Can be called once. */
  bind(...params: BindArguments): this {
    if (this.#bound) throw stateError('The parameters of this statement are bound already');
    this.#start(params, TRANSIENT);
    this.#connection.runtime.scratch.leave();
    this.#bound = true;
    this.#compiled.pinned = true;
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
    return columnDefinitions(this.#connection.runtime.reader, this.#compiled.live());
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

  /** Checks the state, binds, and answers the pointer, ready for its first step; the scratch memory is entered. */
  #start(params: BindArguments, destructor: number): Pointer {
    this.#demandIdle();
    if (!this.readonly) this.#connection.demandNoIterators();
    if (this.#bound && params.length > 0) throw stateError('The parameters of this statement are bound already');
    const takes = !this.#bound && (params.length > 0 || this.#parameters.count > 0);
    const values = takes ? this.#parameters.inOrder(params) : params;
    // That may have run code of the caller's, which may have closed the database.
    if (values !== params) this.#demandIdle();
    if (this.#connection.firstWrite.pending) this.#connection.firstWrite.reached(this.source, !this.readonly);
    const stmt = this.#compiled.live();
    const { scratch } = this.#connection.runtime;
    this.#connection.begin();
    scratch.enter();
    if (!takes) return stmt;
    try {
      const result = this.#parameters.bind(stmt, values, destructor);
      if (result !== code.OK) throw this.#connection.failure(result);
    } catch (error) {
      scratch.leave();
      throw error;
    }
    return stmt;
  }

  /** Ends an execution whose last step answered `result`; throws if it, or the commit that its end brings, failed. */
  #finish(stmt: Pointer, result: number): void {
    const { c } = this.#connection.runtime.engine;
    const ended = result === code.ROW || result === code.DONE;
    const error = ended ? undefined : this.#connection.failure(result);
    const resetResult = c.reset(stmt);
    if (error) throw error;
    if (resetResult !== code.OK) throw this.#connection.failure(resetResult);
  }

  /** Ends an execution because of an error that is on its way already. */
  #giveUp(stmt: Pointer): void {
    this.#connection.runtime.engine.c.reset(stmt);
  }

  #rowOrGiveUp(stmt: Pointer): Row {
    try {
      return this.#row(stmt);
    } catch (error) {
      this.#giveUp(stmt);
      throw error;
    }
  }

  /** Steps through all rows; answers the last result code. */
  #collect(stmt: Pointer, rows: Row[]): number {
    const { c } = this.#connection.runtime.engine;
    let result = c.step(stmt);
    if (result !== code.ROW) return result;
    try {
      rows.push(this.#row(stmt));
      const makeRow = this.#makeRow as (stmt: Pointer, wide: boolean) => Row;
      const wide = this.#wide;
      for (result = c.step(stmt); result === code.ROW; result = c.step(stmt)) rows.push(makeRow(stmt, wide));
      return result;
    } catch (error) {
      this.#giveUp(stmt);
      throw error;
    }
  }

  #row(stmt: Pointer): Row {
    const { engine, reader } = this.#connection.runtime;
    // A change of schema may have given the result other columns, whether SQLite compiled it again or we did.
    const prepares = engine.c.stmtStatus(stmt, STMTSTATUS_REPREPARE, 0);
    const { generation } = this.#compiled;
    if (this.#makeRow === undefined || prepares !== this.#prepares || generation !== this.#generation) {
      this.#makeRow = rowMaker(reader, stmt, this.#mode);
      this.#prepares = prepares;
      this.#generation = generation;
    }
    return this.#makeRow(stmt, this.#wide) as Row;
  }
}

function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
