// What can be said at open, and what of it is refused.

import type { Locking } from '../../vfs/file-vfs.ts';
import type { Finding } from '../../vfs/finding.ts';
import { JOURNAL_MODES, type JournalMode } from '../../vfs/journal/policy.ts';
import { usageError } from '../error.ts';
import type { InterruptFlag } from './patience.ts';
import { describe } from './values.ts';

export interface OpenOptions {
  /** Never write; the file must exist. Default false. */
  readonly?: boolean;
  /** Make the file if it does not exist. Default true, unless readonly. */
  create?: boolean;
  /** Milliseconds to wait for a lock before a DatabaseLockedError; default 5000. */
  timeout?: number;
  /**
   * The journal mode that is wanted. Default `auto`: an existing database stays as it is; a new one gets WAL when it is first
   * written, or a rollback journal and one WARNING where WAL is not safe. `wal` asks for WAL wherever it is safe, `keep` never
   * changes anything. A database in WAL mode is never taken out of it by an open: `holdfast journal FILE delete` does that.
   */
  journal?: JournalMode;
  /** Without WAL the database cannot be used: an error instead of a rollback journal. Default false. */
  requireWal?: boolean;
  /**
   * WAL is safe on this mount whatever its type says: you know that no other machine opens the file, or `holdfast probe
   * --peer` has shown that locks and memory cross. Default false.
   */
  trustMount?: boolean;
  /**
   * Called with each finding of this open, while it goes on: WAL where it is not safe, a journal mode that is not in effect.
   * Default: warnings and errors go to standard error, each once per process and database path.
   */
  onFinding?: (finding: Finding) => void;
  /**
   * `kernel`, the default: open file description locks on SQLite's own bytes. `dotfile`: SQLite's unix-dotfile protocol,
   * for file systems without locks, when every other program uses it too.
   */
  locking?: Locking;
  /** Integers come as BigInts. Default false: as numbers, and one that a number cannot hold exactly is a ValueError. */
  safeIntegers?: boolean;
  /**
   * While the first element is not 0, a statement that takes long or would have to wait for a lock ends with
   * SQLITE_INTERRUPT. Shared memory, so that another thread can set it.
   */
  interrupt?: InterruptFlag;
}

const SWITCHES = ['readonly', 'create', 'safeIntegers', 'requireWal', 'trustMount'] as const;
const OPTION_NAMES: readonly string[] = [...SWITCHES, 'timeout', 'journal', 'locking', 'interrupt', 'onFinding'];
export const DEFAULT_TIMEOUT_MS = 5000;
/** A year. Longer is a mistake, and setTimeout-like arithmetic breaks not far above. */
const MAX_TIMEOUT_MS = 365 * 86400000;
/** Throws UsageError for anything that is not an option, or not a value of it. */
export function checkOptions(path: unknown, options: OpenOptions): void {
  if (typeof path !== 'string') throw usageError(`The path of a database must be a string, not ${describe(path)}`);
  if (path.includes('\0')) throw usageError('The path of a database contains a NUL character, which no file name can');
  if (!path.isWellFormed()) throw usageError('The path of a database contains a lone surrogate; no file name in UTF-8 can');
  const unknown = Object.keys(options).filter((name) => !OPTION_NAMES.includes(name));
  if (unknown.length > 0) throw usageError(`No such option: ${unknown.join(', ')}. There are ${OPTION_NAMES.join(', ')}`);
  const { timeout, journal, locking, interrupt, onFinding } = options;
  if (timeout !== undefined && !(Number.isFinite(timeout) && timeout >= 0 && timeout <= MAX_TIMEOUT_MS))
    throw usageError(`timeout is a number of milliseconds from 0 to ${MAX_TIMEOUT_MS}, not ${String(timeout)}`);
  if (journal !== undefined && !JOURNAL_MODES.includes(journal))
    throw usageError(`journal is one of ${JOURNAL_MODES.join(', ')}, not ${String(journal)}`);
  if (locking !== undefined && locking !== 'kernel' && locking !== 'dotfile')
    throw usageError(`locking is kernel or dotfile, not ${String(locking)}`);
  if (interrupt !== undefined && !(interrupt instanceof Int32Array && interrupt.buffer instanceof SharedArrayBuffer))
    throw usageError('interrupt is an Int32Array over a SharedArrayBuffer');
  if (onFinding !== undefined && typeof onFinding !== 'function')
    throw usageError(`onFinding is a function, not ${describe(onFinding)}`);
  for (const name of SWITCHES) {
    const value = options[name];
    if (value !== undefined && typeof value !== 'boolean') throw usageError(`${name} is true or false, not ${describe(value)}`);
  }
  if (options.readonly && options.create)
    throw usageError('A database cannot be opened readonly and be created at the same time');
  if (locking === 'dotfile' && (options.requireWal || journal === 'wal'))
    throw usageError('Dot-file locks share no memory, so there is no WAL with them');
}
