// The one family of errors that Holdfast throws, and its form for the trip between threads.

import type { Holder } from '../vfs/holders/holder.ts';

/** What is known of a failure beyond its message. All of it is plain data, so it survives structured cloning. */
export interface ErrorDetails {
  /** The name of the most precise SQLite result code, or one of our own that begins with `HOLDFAST_`. */
  code: string;
  /** The extended SQLite result code (https://sqlite.org/rescode.html); 0 where SQLite was not involved. */
  resultCode: number;
  /** The file that the failing call was about. */
  path?: string;
  /** Name of the system's errno, such as `ENOSPC`. */
  errno?: string;
  /** The system call that failed. */
  syscall?: string;
  /** The mount that the file stands on. */
  mount?: { mountPoint: string; fsType: string; source: string };
  /** Milliseconds that we waited for a lock. */
  waitedMs?: number;
  /** The lock that could not be had, by the field's own name: `RESERVED`, `EXCLUSIVE`, `WAL-write` (see `HolderLock`). */
  lock?: string;
  /** The process that holds it, where that is known and it is just one. */
  holderPid?: number;
  /** Processes that have the database open, those that stand in the way first; others only as far as they were looked for. */
  holders?: readonly Holder[];
  /** Byte offset in the SQL text at which the error was noticed. */
  sqlOffset?: number;
  /** What to do next. */
  hint?: string;
}

/** The base of every error that Holdfast throws on purpose. */
export class HoldfastError extends Error implements ErrorDetails {
  readonly code: string;
  readonly resultCode: number;
  declare readonly path?: string;
  declare readonly errno?: string;
  declare readonly syscall?: string;
  declare readonly mount?: { mountPoint: string; fsType: string; source: string };
  declare readonly waitedMs?: number;
  declare readonly lock?: string;
  declare readonly holderPid?: number;
  declare readonly holders?: readonly Holder[];
  declare readonly sqlOffset?: number;
  declare readonly hint?: string;

  constructor(message: string, details: ErrorDetails) {
    super(message);
    this.code = details.code;
    this.resultCode = details.resultCode;
    for (const [key, value] of Object.entries(details)) {
      if (value !== undefined && key !== 'code' && key !== 'resultCode')
        Object.defineProperty(this, key, { value, enumerable: true, configurable: true });
    }
  }

  override get name(): string {
    return NAMES.get(this.constructor as ErrorClass) ?? 'HoldfastError';
  }
}

/** SQLite refused a statement: syntax, constraint, type, limit, corruption. */
export class SqliteError extends HoldfastError {}
/**
 * Somebody else held a lock for longer than we were told to wait. The message names the process, its command line and the
 * lock that stands in the way, where they can be found; `holders` has them as data.
 */
export class DatabaseLockedError extends SqliteError {
  declare readonly holders: readonly Holder[];

  constructor(message: string, details: ErrorDetails) {
    super(message, { ...details, holders: details.holders ?? [] });
  }
}
/** The file could not be opened, read, written or synced: permission, space, device, mount. */
export class StorageError extends SqliteError {}
/** This file system gives no usable locks, or no shared memory where WAL needs it. Nothing was run without locks. */
export class LockingError extends StorageError {}
/** A call that the state of a handle does not allow: closed, busy, iterating. */
export class StateError extends HoldfastError {}
/** A value that cannot be bound, converted or returned exactly. */
export class ValueError extends HoldfastError {}
/** A wrong argument: a type, an option, a path. */
export class UsageError extends HoldfastError {}
/** This system, or this build, lacks what Holdfast needs. */
export class PlatformError extends HoldfastError {}

type ErrorClass = new (message: string, details: ErrorDetails) => HoldfastError;

const CLASSES: Readonly<Record<string, ErrorClass>> = {
  HoldfastError,
  SqliteError,
  DatabaseLockedError,
  StorageError,
  LockingError,
  StateError,
  ValueError,
  UsageError,
  PlatformError,
};

/** By class and not by `constructor.name`, which a minifier may change. */
const NAMES = new Map<ErrorClass, string>(Object.entries(CLASSES).map(([name, type]) => [type, name]));

/** An error as plain data. */
export interface SerializedError {
  name: string;
  message: string;
  stack?: string;
  details?: ErrorDetails;
}

/** Turns any thrown value into plain data that structured cloning carries. */
export function serializeError(error: unknown): SerializedError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const plain: SerializedError = { name: error.name, message: error.message };
  if (error.stack !== undefined) plain.stack = error.stack;
  if (error instanceof HoldfastError) plain.details = { ...error, code: error.code, resultCode: error.resultCode };
  return plain;
}

/** Makes an error of the same class again out of what `serializeError` gave. */
export function deserializeError(plain: SerializedError): Error {
  const type = CLASSES[plain.name];
  const error = type && plain.details ? new type(plain.message, plain.details) : new Error(plain.message);
  if (!(error instanceof HoldfastError)) error.name = plain.name;
  if (plain.stack !== undefined) error.stack = plain.stack;
  return error;
}

/** A call on a closed, busy or iterating handle. */
export function stateError(message: string): StateError {
  return new StateError(message, { code: 'HOLDFAST_STATE', resultCode: 0 });
}

export function valueError(message: string): ValueError {
  return new ValueError(message, { code: 'HOLDFAST_VALUE', resultCode: 0 });
}

export function usageError(message: string, path?: string): UsageError {
  return new UsageError(message, { code: 'HOLDFAST_USAGE', resultCode: 0, ...(path === undefined ? {} : { path }) });
}
