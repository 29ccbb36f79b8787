// One SQLite engine: the C functions that we call, its memory, and how JavaScript functions become C callbacks.

import type { MappableMemory } from '../../vfs/host.ts';
import type { Vfs } from '../../vfs/vfs.ts';

/** An address in the engine's memory; 0 is NULL. */
export type Pointer = number;

/** The engine's memory, seen as it is now. Views are refreshed after the memory grew; never keep one across a call. */
export interface EngineMemory extends MappableMemory {
  readonly u8: Uint8Array;
  readonly i32: Int32Array;
  readonly f64: Float64Array;
}

/**
 * The C functions that we call, each named as in https://sqlite.org/c3ref/funclist.html without its `sqlite3_`, in camel
 * case. 64-bit integers cross as BigInt.
 */
export interface SqliteFunctions {
  libversion(): Pointer;
  sourceid(): Pointer;
  malloc(size: number): Pointer;
  free(pointer: Pointer): void;

  openV2(name: Pointer, out: Pointer, flags: number, vfs: Pointer): number;
  closeV2(db: Pointer): number;
  extendedResultCodes(db: Pointer, on: number): number;
  extendedErrcode(db: Pointer): number;
  errmsg(db: Pointer): Pointer;
  errstr(code: number): Pointer;
  errorOffset(db: Pointer): number;
  exec(db: Pointer, sql: Pointer, callback: Pointer, argument: Pointer, message: Pointer): number;
  getAutocommit(db: Pointer): number;
  dbReadonly(db: Pointer, schema: Pointer): number;
  dbFilename(db: Pointer, schema: Pointer): Pointer;
  changes(db: Pointer): number;
  totalChanges(db: Pointer): number;
  lastInsertRowid(db: Pointer): bigint;
  busyTimeout(db: Pointer, milliseconds: number): number;
  progressHandler(db: Pointer, every: number, callback: Pointer, argument: Pointer): void;
  fileControl(db: Pointer, schema: Pointer, operation: number, argument: Pointer): number;

  prepareV3(db: Pointer, sql: Pointer, bytes: number, flags: number, out: Pointer, tail: Pointer): number;
  finalize(stmt: Pointer): number;
  step(stmt: Pointer): number;
  reset(stmt: Pointer): number;
  clearBindings(stmt: Pointer): number;
  stmtReadonly(stmt: Pointer): number;
  stmtStatus(stmt: Pointer, counter: number, reset: number): number;
  expandedSql(stmt: Pointer): Pointer;

  bindParameterCount(stmt: Pointer): number;
  bindParameterName(stmt: Pointer, index: number): Pointer;
  bindNull(stmt: Pointer, index: number): number;
  bindInt(stmt: Pointer, index: number, value: number): number;
  bindInt64(stmt: Pointer, index: number, value: bigint): number;
  bindDouble(stmt: Pointer, index: number, value: number): number;
  bindText(stmt: Pointer, index: number, text: Pointer, bytes: number, destructor: number): number;
  bindBlob(stmt: Pointer, index: number, blob: Pointer, bytes: number, destructor: number): number;
  bindZeroblob(stmt: Pointer, index: number, bytes: number): number;

  columnCount(stmt: Pointer): number;
  columnName(stmt: Pointer, index: number): Pointer;
  columnType(stmt: Pointer, index: number): number;
  columnInt64(stmt: Pointer, index: number): bigint;
  columnDouble(stmt: Pointer, index: number): number;
  columnText(stmt: Pointer, index: number): Pointer;
  columnBlob(stmt: Pointer, index: number): Pointer;
  columnBytes(stmt: Pointer, index: number): number;
  /** These four are missing from builds without column metadata. */
  columnDecltype?(stmt: Pointer, index: number): Pointer;
  columnDatabaseName?(stmt: Pointer, index: number): Pointer;
  columnTableName?(stmt: Pointer, index: number): Pointer;
  columnOriginName?(stmt: Pointer, index: number): Pointer;

  createFunctionV2(
    db: Pointer,
    name: Pointer,
    parameters: number,
    flags: number,
    data: Pointer,
    func: Pointer,
    step: Pointer,
    final: Pointer,
    destroy: Pointer,
  ): number;
  createWindowFunction(
    db: Pointer,
    name: Pointer,
    parameters: number,
    flags: number,
    data: Pointer,
    step: Pointer,
    final: Pointer,
    value: Pointer,
    inverse: Pointer,
    destroy: Pointer,
  ): number;
  userData(context: Pointer): Pointer;
  aggregateContext(context: Pointer, bytes: number): Pointer;
  valueType(value: Pointer): number;
  valueInt64(value: Pointer): bigint;
  valueDouble(value: Pointer): number;
  valueText(value: Pointer): Pointer;
  valueBlob(value: Pointer): Pointer;
  valueBytes(value: Pointer): number;
  resultNull(context: Pointer): void;
  resultInt(context: Pointer, value: number): void;
  resultInt64(context: Pointer, value: bigint): void;
  resultDouble(context: Pointer, value: number): void;
  resultText(context: Pointer, text: Pointer, bytes: number, destructor: number): void;
  resultBlob(context: Pointer, blob: Pointer, bytes: number, destructor: number): void;
  resultError(context: Pointer, message: Pointer, bytes: number): void;
  resultErrorToobig(context: Pointer): void;

  backupInit(target: Pointer, targetSchema: Pointer, source: Pointer, sourceSchema: Pointer): Pointer;
  backupStep(backup: Pointer, pages: number): number;
  backupFinish(backup: Pointer): number;
  backupRemaining(backup: Pointer): number;
  backupPagecount(backup: Pointer): number;
  serialize(db: Pointer, schema: Pointer, size: Pointer, flags: number): Pointer;
  deserialize(db: Pointer, schema: Pointer, data: Pointer, size: bigint, capacity: bigint, flags: number): number;
  vfsRegister(vfs: Pointer, makeDefault: number): number;
}

/**
 * The C type of a callback: its result, then its parameters. `v` nothing, `i` 32-bit integer or pointer, `d` double,
 * `I` 64-bit integer, which arrives as a number (exact to 2^53: file offsets, never row ids).
 */
export type Signature = string;

export interface Callback {
  signature: Signature;
  call: (...args: number[]) => number | undefined;
}

export interface Engine {
  readonly name: string;
  /** SQLite's version, `3.54.1`. */
  readonly version: string;
  readonly sourceId: string;
  readonly memory: EngineMemory;
  readonly c: SqliteFunctions;
  /** Makes functions callable from C and answers their function pointers. They live as long as the engine. */
  callbacks(callbacks: readonly Callback[]): Pointer[];
  /** Makes a VFS known to SQLite under its name. */
  registerVfs(vfs: Vfs, makeDefault: boolean): void;
}
