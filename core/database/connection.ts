// One sqlite3 connection below the Database that people hold: its pointer, its state, its statements, and its errors.

import * as code from '../../vfs/codes.ts';
import type { FileVfs } from '../../vfs/file-vfs.ts';
import type { Pointer } from '../engine/engine.ts';
import { readCString, withCString } from '../engine/strings.ts';
import { stateError } from '../error.ts';
import { explainFailure } from './explain-error.ts';
import { execWatching, FirstWrite } from './first-write.ts';
import type { FunctionOwner } from './functions.ts';
import { type InterruptFlag, Patience } from './patience.ts';
import type { Closeable, Runtime } from './runtime.ts';

export interface ConnectionOptions {
  timeoutMs: number;
  safeIntegers: boolean;
  interrupt: InterruptFlag | undefined;
}

/** A prepared statement, as its connection has to know it in order to close. */
export interface Finalizable {
  finalize(): void;
  /** Finalizes it if it can be made again at its next use; answers whether it did. */
  dropIfIdle(): boolean;
}

/**
 * Compiled statements kept for one connection, some kilobytes each. A program that prepares in a loop without a pause never
 * lets the garbage collector tell us which are forgotten; beyond this number the oldest idle one goes and is compiled again
 * if it is used after all.
 */
const MOST_STATEMENTS = 1000;

export class Connection implements Closeable, FunctionOwner {
  readonly runtime: Runtime;
  readonly vfs: FileVfs;
  readonly patience: Patience;
  readonly interrupt: InterruptFlag | undefined;
  pointer: Pointer;
  safeIntegers: boolean;
  /** The resolved path; undefined for a database in memory. */
  readonly path: string | undefined;
  /** What a new database has to become before it is first written. */
  readonly firstWrite = new FirstWrite();
  /** Open iterators; while there are any, nothing may write. */
  iterators = 0;
  readonly #statements = new Set<Finalizable>();
  readonly #uninstall: (() => void)[] = [];
  #functionDepth = 0;
  #caught: { error: unknown } | undefined;

  /** Takes over a pointer that sqlite3_open_v2 made. */
  constructor(runtime: Runtime, vfs: FileVfs, pointer: Pointer, options: ConnectionOptions) {
    const { c, memory } = runtime.engine;
    this.runtime = runtime;
    this.vfs = vfs;
    this.pointer = pointer;
    this.safeIntegers = options.safeIntegers;
    this.interrupt = options.interrupt;
    this.patience = new Patience(runtime.host, options.timeoutMs, options.interrupt);
    c.extendedResultCodes(pointer, 1);
    // Before the first statement that could meet a lock.
    c.busyTimeout(pointer, options.timeoutMs);
    if (options.interrupt || runtime.host.stopsOnlyInJavaScript)
      this.#uninstall.push(runtime.interrupts.install(pointer, options.interrupt));
    this.path = readCString(memory, c.dbFilename(pointer, 0)) || undefined;
    runtime.track(this);
  }

  get isOpen(): boolean {
    return this.pointer !== 0;
  }

  get inFunction(): boolean {
    return this.#functionDepth > 0;
  }

  get inTransaction(): boolean {
    return this.isOpen && this.runtime.engine.c.getAutocommit(this.pointer) === 0;
  }

  enterFunction(): void {
    this.#functionDepth++;
  }

  leaveFunction(): void {
    this.#functionDepth--;
  }

  caught(error: unknown): void {
    this.#caught ??= { error };
  }

  /** Before every use: throws where the state of the handle forbids it. */
  demandOpen(): void {
    if (this.pointer === 0) throw stateError('The database is closed');
    if (this.#functionDepth > 0)
      throw stateError('The database is busy: it is being used from a function that one of its own statements called');
  }

  /** Before every use that may write. */
  demandNoIterators(): void {
    if (this.iterators > 0)
      throw stateError(
        'The database is iterating: finish the loop over iterate(), or leave it, before writing through the same database',
      );
  }

  /** A new call into SQLite begins: forgets how the last one fared. */
  begin(): void {
    this.vfs.begin(this.patience);
    this.patience.begin();
    this.#caught = undefined;
  }

  /** The error for a result code of this connection. What a function threw comes back as it was thrown. */
  failure(resultCode: number): unknown {
    if (this.#caught) {
      const { error } = this.#caught;
      this.#caught = undefined;
      return error;
    }
    const { c, memory } = this.runtime.engine;
    return explainFailure({
      resultCode,
      message: this.pointer === 0 ? '' : (readCString(memory, c.errmsg(this.pointer)) ?? ''),
      path: this.path,
      vfs: this.vfs,
      waitedMs: this.patience.waitedMs,
      sqlOffset: this.pointer === 0 ? -1 : c.errorOffset(this.pointer),
    });
  }

  /** Runs SQL text, without values, to its end. */
  exec(sql: string): void {
    this.begin();
    const { engine } = this.runtime;
    const resultCode = this.firstWrite.pending
      ? execWatching(this, sql)
      : withCString(engine, sql, (zSql) => engine.c.exec(this.pointer, zSql, 0, 0, 0));
    if (resultCode !== code.OK) throw this.failure(resultCode);
  }

  /** The first value that a pragma answers, as text; waits for locks as any statement does. */
  pragmaText(pragma: string): string | undefined {
    const { c, memory } = this.runtime.engine;
    this.begin();
    const out = c.malloc(4);
    const prepared = withCString(this.runtime.engine, `PRAGMA ${pragma}`, (zSql) =>
      c.prepareV3(this.pointer, zSql, -1, 0, out, 0),
    );
    const stmt = memory.i32[out >> 2] as Pointer;
    c.free(out);
    if (prepared !== code.OK) throw this.failure(prepared);
    // SQLite does not ask the busy handler when a journal mode is switched, so that wait is ours.
    let result = c.step(stmt);
    for (let count = 0; code.primary(result) === code.BUSY && this.patience.wait(count); count++) {
      c.reset(stmt);
      result = c.step(stmt);
    }
    const text = result === code.ROW ? readCString(memory, c.columnText(stmt, 0)) : undefined;
    const failure = result === code.ROW || result === code.DONE ? undefined : this.failure(result);
    c.finalize(stmt);
    if (failure) throw failure;
    return text;
  }

  get isReadonly(): boolean {
    return withCString(this.runtime.engine, 'main', (zMain) => this.runtime.engine.c.dbReadonly(this.pointer, zMain) === 1);
  }

  adopt(statement: Finalizable): void {
    if (this.#statements.size >= MOST_STATEMENTS) for (const oldest of this.#statements) if (oldest.dropIfIdle()) break;
    this.#statements.add(statement);
  }

  disown(statement: Finalizable): void {
    this.#statements.delete(statement);
  }

  /** Finalizes every statement and closes. An unfinished transaction is rolled back. */
  close(): void {
    if (this.pointer === 0) return;
    this.begin();
    for (const statement of [...this.#statements]) statement.finalize();
    const { c } = this.runtime.engine;
    // Closing as the last one checkpoints and removes the WAL, so it can fail like any write; the connection is gone all the same.
    const { pointer } = this;
    const resultCode = c.closeV2(pointer);
    this.pointer = 0;
    for (const uninstall of this.#uninstall) uninstall();
    this.runtime.untrack(this);
    if (resultCode !== code.OK) throw this.failure(resultCode);
  }

  abandon(): void {
    try {
      this.close();
    } catch {
      // The process is ending; the kernel drops the locks.
    }
  }
}
