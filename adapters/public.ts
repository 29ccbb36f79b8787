// What every runtime's entry exports beside its own openSync.

export type { BackupOptions, BackupProgress } from '../core/database/backup.ts';
export { Database } from '../core/database/database.ts';
export type { AggregateOptions, FunctionOptions, ScalarFunction } from '../core/database/functions.ts';
export type { DatabaseInfo, Rung } from '../core/database/info.ts';
export type { OpenOptions } from '../core/database/options.ts';
export type { ColumnDefinition } from '../core/database/rows.ts';
export { type RunResult, Statement } from '../core/database/statement.ts';
export type { Transaction, TransactionKind } from '../core/database/transaction.ts';
export type { Bindable, SqlValue } from '../core/database/values.ts';
export {
  DatabaseLockedError,
  deserializeError,
  type ErrorDetails,
  HoldfastError,
  LockingError,
  PlatformError,
  type SerializedError,
  SqliteError,
  StateError,
  StorageError,
  serializeError,
  UsageError,
  ValueError,
} from '../core/error.ts';
export type { Finding, Severity } from '../vfs/finding.ts';
export type { DatabasePart, Holder, HolderLock } from '../vfs/holders/holder.ts';
export type { JournalMode } from '../vfs/journal/policy.ts';
export type { Classification, MountClass } from '../vfs/mount/classification.ts';
