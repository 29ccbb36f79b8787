// The synchronous database that people hold: shaped like better-sqlite3, which most of them know.

/// <reference lib="esnext.disposable" preserve="true" />

import * as code from '../../vfs/codes.ts';
import type { Classification } from '../../vfs/mount/classification.ts';
import { withCString } from '../engine/strings.ts';
import { stateError, usageError, valueError } from '../error.ts';
import { type BackupOptions, type BackupProgress, backup } from './backup.ts';
import { demandSqlText } from './compiled.ts';
import type { Connection } from './connection.ts';
import type { Findings } from './findings.ts';
import type { AggregateOptions, FunctionOptions, ScalarFunction } from './functions.ts';
import { declaresUtf16 } from './header.ts';
import type { DatabaseInfo, Rung } from './info.ts';
import { openConnection, utf16Error } from './open.ts';
import type { OpenOptions } from './options.ts';
import type { Runtime } from './runtime.ts';
import { Statement } from './statement.ts';
import { makeTransaction, type Transaction } from './transaction.ts';
import { bytesOf } from './values.ts';

/** Behind the header's write and read version (https://sqlite.org/fileformat2.html): 1 is a rollback journal, 2 is WAL. */
const HEADER_VERSIONS_END = 20;
/** sqlite3_deserialize: SQLite frees the memory, and may make it larger. */
const FREE_ON_CLOSE_AND_RESIZEABLE = 3;

/** SQLITE_MAX_FUNCTION_NAME: https://sqlite.org/c3ref/create_function.html */
const MOST_FUNCTION_NAME = 255;

const garbage = new FinalizationRegistry<Connection>((connection) => connection.abandon());

/**
 * One connection to one database, used synchronously: every call answers when SQLite has done its work, and blocks the
 * thread while it waits for a lock. Made by `openSync`.
 *
 * Close it when it is not needed any more. A forgotten one is closed when it becomes garbage or the process exits.
 */
export class Database {
  /** The name it was opened by. */
  readonly name: string;
  /** True for `:memory:`, a temporary database, and one made of bytes. */
  readonly memory: boolean;
  readonly #connection: Connection;
  readonly #runtime: Runtime;
  readonly #rung: Rung;
  readonly #findings: Findings;
  readonly #ground: Classification | undefined;
  readonly #readonly: boolean;

  /** @internal Use `openSync`. */
  constructor(runtime: Runtime, source: string | Uint8Array, options: OpenOptions) {
    demandOptions(options);
    const bytes = typeof source === 'object' && source !== null ? bytesOf(source) : undefined;
    if (bytes && declaresUtf16(bytes)) throw utf16Error('The database given as bytes');
    const { connection, file, rung, findings } = openConnection(runtime, bytes ? ':memory:' : (source as string), options);
    this.name = bytes ? ':memory:' : (source as string);
    this.memory = rung === 'memory';
    this.#connection = connection;
    this.#runtime = runtime;
    this.#rung = rung;
    this.#findings = findings;
    this.#ground = file?.ground;
    garbage.register(this, connection, this);
    if (bytes) this.#load(bytes);
    this.#readonly = connection.isReadonly;
  }

  /** True until it is closed. */
  get open(): boolean {
    return this.#connection.isOpen;
  }

  /** True inside a transaction, whoever began it on this connection. */
  get inTransaction(): boolean {
    return this.#connection.inTransaction;
  }

  /** True if it cannot be written through this connection: opened so, or because the file's permissions left no other way. */
  get readonly(): boolean {
    return this.#readonly;
  }

  /**
   * Path, journal mode, rung, engine and mount. Reads the journal mode, for which a lock may be waited for.
   * @throws StateError if the database is closed.
   */
  get info(): DatabaseInfo {
    this.#connection.demandOpen();
    const { engine } = this.#runtime;
    const { path } = this.#connection;
    let journalMode = 'unknown';
    try {
      journalMode = this.#connection.pragmaText('journal_mode') ?? 'unknown';
    } catch {
      // An answer that could not be had is unknown, never assumed.
    }
    return {
      path,
      journalMode,
      rung: this.#rung,
      engine: engine.name,
      sqliteVersion: engine.version,
      sourceId: engine.sourceId,
      ground: this.#ground,
      findings: [...this.#findings.list],
    };
  }

  /**
   * Prepares one statement.
   * @throws UsageError for no or several statements in the text; SqliteError for SQL that SQLite does not understand.
   */
  prepare<Row = unknown>(sql: string): Statement<Row> {
    return new Statement<Row>(this, this.#connection, sql);
  }

  /** Runs a script of any number of statements; rows they return are thrown away. */
  exec(sql: string): this {
    demandSqlText(sql);
    this.#connection.demandOpen();
    this.#connection.demandNoIterators();
    this.#connection.exec(sql);
    return this;
  }

  /**
   * Runs a PRAGMA and answers its rows, or with `simple` the first column of the first row.
   * Source: https://sqlite.org/pragma.html
   */
  pragma(source: string, options: { simple?: boolean } = {}): unknown {
    if (typeof source !== 'string') throw usageError(`A pragma must be a string, not ${typeof source}`);
    const statement = this.prepare(`PRAGMA ${source}`);
    // Some pragmas, such as foreign_keys=1, return no columns at all.
    if (!statement.reader) {
      statement.run();
      return options.simple ? undefined : [];
    }
    return options.simple ? statement.pluck().get() : statement.all();
  }

  /**
   * Wraps a function in a transaction: committed when it returns, rolled back when it throws. Called inside another
   * transaction it becomes a savepoint of that. It must not return a promise.
   */
  transaction<F extends (...args: never[]) => unknown>(fn: F): Transaction<F> {
    if (typeof fn !== 'function') throw usageError(`A transaction must be a function, not ${typeof fn}`);
    return makeTransaction(this, this.#connection, fn);
  }

  /**
   * Makes a JavaScript function callable from SQL under `name`.
   * Source: https://sqlite.org/appfunc.html
   */
  function(name: string, fn: ScalarFunction): this;
  function(name: string, options: FunctionOptions, fn: ScalarFunction): this;
  function(name: string, options: FunctionOptions | ScalarFunction, fn?: ScalarFunction): this {
    const scalar = typeof options === 'function' ? options : fn;
    if (typeof scalar !== 'function') throw usageError('The last argument of function() must be a function');
    const settings = typeof options === 'function' ? {} : demandOptions(options);
    return this.#define(name, () => this.#runtime.functions.defineScalar(this.#connection, name, settings, scalar));
  }

  /** Makes an aggregate, and with `inverse` a window function, callable from SQL under `name`. */
  aggregate<State>(name: string, options: AggregateOptions<State>): this {
    if (typeof options?.step !== 'function') throw usageError('An aggregate needs a function "step"');
    for (const part of ['inverse', 'result'] as const)
      if (options[part] !== undefined && typeof options[part] !== 'function')
        throw usageError(`"${part}" of an aggregate must be a function`);
    return this.#define(name, () => this.#runtime.functions.defineAggregate(this.#connection, name, options as AggregateOptions));
  }

  /**
   * Copies the database into the file `destination` while it may be in use, replacing what is there. One turn copies some
   * pages, and other work runs between two turns. Resolves to the number of pages when done.
   * Source: https://sqlite.org/backup.html
   */
  async backup(destination: string, options: BackupOptions = {}): Promise<BackupProgress> {
    this.#connection.demandOpen();
    const { progress } = demandOptions(options);
    if (progress !== undefined && typeof progress !== 'function') throw usageError('"progress" of a backup must be a function');
    if (typeof destination !== 'string' || destination === '')
      throw usageError('The destination of a backup must be a file name');
    const { connection, file } = openConnection(this.#runtime, destination, {
      timeout: this.#connection.patience.timeoutMs,
      journal: 'keep',
    });
    // The copy of a WAL database says that it is one.
    if (file) file.keepsRollback = true;
    if (connection.path !== undefined && connection.path === this.#connection.path) {
      connection.close();
      throw usageError('A database cannot be backed up onto itself', connection.path);
    }
    return backup(this.#connection, connection, options);
  }

  /**
   * The database as the bytes of a file, pages still in the WAL included.
   * Source: https://sqlite.org/c3ref/serialize.html
   */
  serialize(options: { attached?: string } = {}): Uint8Array {
    this.#connection.demandOpen();
    const { engine } = this.#runtime;
    const { c, memory } = engine;
    // To serialize a database without a page, SQLite makes one.
    this.#connection.firstWrite.now();
    this.#connection.begin();
    const size = c.malloc(8);
    const data = withCString(engine, options.attached ?? 'main', (zSchema) =>
      c.serialize(this.#connection.pointer, zSchema, size, 0),
    );
    const length = memory.i32[size >> 2] as number;
    c.free(size);
    if (data === 0) {
      const error = c.extendedErrcode(this.#connection.pointer);
      if (error !== code.OK) throw this.#connection.failure(error);
      throw valueError(
        `The database ${options.attached ?? 'main'} cannot be serialized: it is empty, unknown or larger than the memory left`,
      );
    }
    const bytes = memory.u8.slice(data, data + length);
    c.free(data);
    return bytes;
  }

  /** Whether statements prepared from now on answer integers as BigInts. */
  defaultSafeIntegers(on = true): this {
    this.#connection.demandOpen();
    this.#connection.safeIntegers = on;
    return this;
  }

  /**
   * Finalizes all statements, rolls back an unfinished transaction and closes. The last one out of a WAL database
   * checkpoints it and removes its sidecars. Closing twice is fine.
   * @throws StateError while it is iterating or inside one of its own functions.
   */
  close(): this {
    if (!this.#connection.isOpen) return this;
    this.#connection.demandOpen();
    if (this.#connection.iterators > 0)
      throw stateError('The database is iterating: finish the loop over iterate(), or leave it, before closing');
    garbage.unregister(this);
    this.#connection.close();
    return this;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #define(name: string, define: () => number): this {
    if (typeof name !== 'string' || name === '') throw usageError('A function of SQL needs a name');
    demandSqlText(name);
    if (new TextEncoder().encode(name).length > MOST_FUNCTION_NAME)
      throw usageError(`A function's name has at most ${MOST_FUNCTION_NAME} bytes`);
    this.#connection.demandOpen();
    this.#connection.demandNoIterators();
    this.#connection.begin();
    const result = define();
    if (result !== code.OK) throw this.#connection.failure(result);
    return this;
  }

  #load(bytes: Uint8Array): void {
    const { c, memory } = this.#runtime.engine;
    const data = c.malloc(Math.max(1, bytes.length));
    if (data === 0) throw valueError(`a database of ${bytes.length} bytes does not fit into the memory of the engine`);
    memory.u8.set(bytes, data);
    // A database in memory has no WAL. SQLite's serialize() has read through it, so its mark in the header can go.
    if (bytes.length > HEADER_VERSIONS_END && memory.u8[data + HEADER_VERSIONS_END - 1] === 2)
      memory.u8.fill(1, data + HEADER_VERSIONS_END - 2, data + HEADER_VERSIONS_END);
    const size = BigInt(bytes.length);
    const result = withCString(this.#runtime.engine, 'main', (zMain) =>
      c.deserialize(this.#connection.pointer, zMain, data, size, size, FREE_ON_CLOSE_AND_RESIZEABLE),
    );
    if (result !== code.OK) throw this.#connection.failure(result);
  }
}

function demandOptions<T>(options: T): T {
  if (typeof options !== 'object' || options === null) throw usageError(`Options must be an object, not ${String(options)}`);
  return options;
}
