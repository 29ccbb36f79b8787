// Opening: from a path and options to a connection on the right rung, with the journal mode that was asked for.

import * as code from '../../vfs/codes.ts';
import { LOCK, OPEN } from '../../vfs/codes.ts';
import type { DatabaseFile } from '../../vfs/database-file.ts';
import type { FileVfs, Locking } from '../../vfs/file-vfs.ts';
import { resolvePath } from '../../vfs/paths.ts';
import type { Pointer } from '../engine/engine.ts';
import { readCString, withCString } from '../engine/strings.ts';
import { type HoldfastError, LockingError, StorageError, usageError } from '../error.ts';
import { Connection } from './connection.ts';
import { explainFailure, findMount } from './explain-error.ts';
import { readHeader } from './header.ts';
import type { Rung } from './info.ts';
import type { InterruptFlag } from './patience.ts';
import type { Runtime } from './runtime.ts';
import { describe } from './values.ts';

/** Journal modes that can be asked for (https://sqlite.org/pragma.html#pragma_journal_mode). */
export const JOURNAL_MODES = ['keep', 'wal', 'delete', 'truncate', 'persist', 'memory', 'off'] as const;
export type JournalMode = (typeof JOURNAL_MODES)[number];

export interface OpenOptions {
  /** Never write; the file must exist. Default false. */
  readonly?: boolean;
  /** Make the file if it does not exist. Default true, unless readonly. */
  create?: boolean;
  /** Milliseconds to wait for a lock before a DatabaseLockedError; default 5000. */
  timeout?: number;
  /**
   * The journal mode to switch to. `keep`, the default, leaves an existing database as it is and makes new ones with a
   * rollback journal, as SQLite does.
   */
  journal?: JournalMode;
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

export interface Opened {
  connection: Connection;
  rung: Rung;
  notes: string[];
}

const OPTION_NAMES = ['readonly', 'create', 'timeout', 'journal', 'locking', 'safeIntegers', 'interrupt'];
const DEFAULT_TIMEOUT_MS = 5000;
/** A year. Longer is a mistake, and setTimeout-like arithmetic breaks not far above. */
const MAX_TIMEOUT_MS = 365 * 86400000;
/** What native SQLite makes; this build's own default is 8192. */
const NEW_PAGE_SIZE = 4096;
const MEMORY = ':memory:';
/** Opens `path`: a file name, `:memory:`, or empty for a temporary file of its own. */
export function openConnection(runtime: Runtime, path: string, options: OpenOptions): Opened {
  checkOptions(path, options);
  const locking = options.locking ?? 'kernel';
  const vfs = runtime.vfs(locking);
  const inMemory = path === MEMORY || path === '';
  const connection = openPointer(runtime, vfs, path, inMemory, options);
  const notes: string[] = [];
  try {
    const file = connection.path === undefined ? undefined : vfs.lastDatabase;
    const rung = rungOf(file, locking);
    const header = file && readHeader(file);
    if (header?.encoding === 'UTF-16') throw utf16Error(connection.path as string);
    setUp(connection, options);
    if (header?.isWal && rung !== 'mapped') leaveWal(connection, vfs, notes, file as DatabaseFile);
    setJournalMode(connection, options.journal ?? 'keep', rung, vfs);
    return { connection, rung, notes };
  } catch (error) {
    connection.abandon();
    throw error;
  }
}

function checkOptions(path: unknown, options: OpenOptions): void {
  if (typeof path !== 'string') throw usageError(`The path of a database must be a string, not ${describe(path)}`);
  if (path.includes('\0')) throw usageError('The path of a database contains a NUL character, which no file name can');
  if (!path.isWellFormed()) throw usageError('The path of a database contains a lone surrogate; no file name in UTF-8 can');
  const unknown = Object.keys(options).filter((name) => !OPTION_NAMES.includes(name));
  if (unknown.length > 0) throw usageError(`No such option: ${unknown.join(', ')}. There are ${OPTION_NAMES.join(', ')}`);
  const { timeout, journal, locking, interrupt } = options;
  if (timeout !== undefined && !(Number.isFinite(timeout) && timeout >= 0 && timeout <= MAX_TIMEOUT_MS))
    throw usageError(`timeout is a number of milliseconds from 0 to ${MAX_TIMEOUT_MS}, not ${String(timeout)}`);
  if (journal !== undefined && !JOURNAL_MODES.includes(journal))
    throw usageError(`journal is one of ${JOURNAL_MODES.join(', ')}, not ${String(journal)}`);
  if (locking !== undefined && locking !== 'kernel' && locking !== 'dotfile')
    throw usageError(`locking is kernel or dotfile, not ${String(locking)}`);
  if (interrupt !== undefined && !(interrupt instanceof Int32Array && interrupt.buffer instanceof SharedArrayBuffer))
    throw usageError('interrupt is an Int32Array over a SharedArrayBuffer');
  for (const name of ['readonly', 'create', 'safeIntegers'] as const) {
    const value = options[name];
    if (value !== undefined && typeof value !== 'boolean') throw usageError(`${name} is true or false, not ${describe(value)}`);
  }
  if (options.readonly && options.create)
    throw usageError('A database cannot be opened readonly and be created at the same time');
}

function openPointer(runtime: Runtime, vfs: FileVfs, path: string, inMemory: boolean, options: OpenOptions): Connection {
  const { engine } = runtime;
  const { c, memory } = engine;
  // Made absolute first, so that a name like "file:x?mode=ro" is the file of that name and never a URI.
  const target = inMemory ? path : resolved(runtime, vfs, path);
  const flags = options.readonly ? OPEN.READONLY : OPEN.READWRITE | ((options.create ?? true) ? OPEN.CREATE : 0);
  vfs.begin(undefined);
  const out = c.malloc(4);
  const result = withCString(engine, target, (zPath) =>
    withCString(engine, vfs.name, (zVfs) => c.openV2(zPath, out, flags, zVfs)),
  );
  const pointer = memory.i32[out >> 2] as Pointer;
  c.free(out);
  if (result === code.OK) {
    const timeoutMs = options.timeout ?? DEFAULT_TIMEOUT_MS;
    const { safeIntegers = false, interrupt } = options;
    return new Connection(runtime, vfs, pointer, { timeoutMs, safeIntegers, interrupt });
  }
  const resultCode = pointer === 0 ? result : c.extendedErrcode(pointer);
  const message = (pointer === 0 ? undefined : readCString(memory, c.errmsg(pointer))) ?? 'unable to open database file';
  c.closeV2(pointer);
  throw openFailure(vfs, target, resultCode, message);
}

function resolved(runtime: Runtime, vfs: FileVfs, path: string): string {
  const real = resolvePath(runtime.host, vfs.errnos, path);
  if (typeof real === 'string') return real;
  vfs.begin(undefined);
  vfs.fullPathname(path);
  throw openFailure(vfs, path, code.CANTOPEN, 'unable to open database file');
}

function openFailure(vfs: FileVfs, path: string, resultCode: number, message: string): HoldfastError {
  return explainFailure({ resultCode: vfs.lastFault?.code ?? resultCode, message, path, vfs, waitedMs: undefined });
}

function rungOf(file: DatabaseFile | undefined, locking: Locking): Rung {
  if (!file) return 'memory';
  if (locking === 'dotfile') return 'dotfile';
  return file.walIndex ? 'mapped' : 'rollback';
}

/** Settings of the connection alone: none of them touches the file. */
function setUp(connection: Connection, options: OpenOptions): void {
  const settings = ['PRAGMA foreign_keys=ON'];
  // This build would keep temporary tables and big sorts in memory, of which there are 2 GiB.
  if (connection.path !== undefined) settings.push('PRAGMA temp_store=FILE');
  if (isFresh(connection) && !options.readonly) settings.push(`PRAGMA page_size=${NEW_PAGE_SIZE}`);
  connection.exec(settings.join(';'));
}

function isFresh(connection: Connection): boolean {
  return connection.path === undefined || connection.runtime.host.sizeAt(connection.path) === 0;
}

/**
 * A WAL database where no memory can be shared: nobody could read it here, so it goes back to a rollback journal, if that is
 * safe: nothing waits in its WAL and nobody has it open. Else an error says what to do.
 */
function leaveWal(connection: Connection, vfs: FileVfs, notes: string[], file: DatabaseFile): void {
  const path = connection.path as string;
  const waiting = Math.max(0, connection.runtime.host.sizeAt(`${path}-wal`));
  if (waiting > 0 || connection.isReadonly) {
    const why =
      waiting > 0
        ? `its WAL holds ${waiting} bytes that are not in the database yet`
        : 'it was opened readonly, so it cannot be converted';
    throw walUnusable(path, vfs, why);
  }
  // Holding the file alone (which fails while anybody has it open), SQLite needs no shared memory to leave WAL.
  connection.exec('PRAGMA locking_mode=EXCLUSIVE');
  connection.exec('PRAGMA journal_mode=DELETE');
  connection.exec('PRAGMA locking_mode=NORMAL; SELECT 1 FROM sqlite_schema LIMIT 1');
  if (file.locks.level > LOCK.NONE) throw walUnusable(path, vfs, 'its lock could not be given back after the conversion');
  notes.push(`${path} was in WAL mode, which cannot work on this mount; it was converted to a rollback journal (DELETE)`);
}

/** Without this SQLite says "malformed database schema", which is not so. */
export function utf16Error(path: string): StorageError {
  const hint = 'Make a UTF-8 copy with native sqlite3: .dump it, and load the dump into a new database.';
  return new StorageError(
    `${path} is a UTF-16 database, and this build of SQLite reads only UTF-8. Nothing is wrong with the file. ${hint}`,
    {
      code: 'HOLDFAST_UTF16',
      resultCode: code.CANTOPEN,
      path,
      hint,
    },
  );
}

function walUnusable(path: string, vfs: FileVfs, why: string): LockingError {
  const mount = findMount(vfs, path);
  const where = mount ? `the mount ${mount.mountPoint} (type ${mount.fsType})` : 'this file system';
  const hint =
    'Copy it with all its sidecars to a local file system and run "PRAGMA journal_mode=DELETE" there; or keep it there.';
  return new LockingError(`${path} is in WAL mode, but ${where} cannot share memory between processes; ${why}. ${hint}`, {
    code: 'HOLDFAST_WAL_UNUSABLE',
    resultCode: code.CANTOPEN,
    path,
    hint,
    ...(mount ? { mount } : {}),
  });
}

function setJournalMode(connection: Connection, wanted: JournalMode, rung: Rung, vfs: FileVfs): void {
  if (wanted === 'keep' || rung === 'memory') return;
  if (wanted === 'wal' && rung !== 'mapped')
    throw walUnusable(connection.path as string, vfs, `it was opened on the rung '${rung}'`);
  connection.exec('SELECT 1 FROM sqlite_schema LIMIT 1');
  if (connection.pragmaText('journal_mode') === wanted) return;
  const got = connection.pragmaText(`journal_mode=${wanted}`);
  if (got !== wanted) throw usageError(`The journal mode could not be set to ${wanted}; it is ${got}`, connection.path);
}
