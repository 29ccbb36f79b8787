// Opening: from a path and options to a connection on the right rung, with the journal mode that was asked for.

import * as code from '../../vfs/codes.ts';
import { OPEN } from '../../vfs/codes.ts';
import type { DatabaseFile } from '../../vfs/database-file.ts';
import type { FileVfs, Locking } from '../../vfs/file-vfs.ts';
import { decideJournal } from '../../vfs/journal/policy.ts';
import { trusted } from '../../vfs/mount/classification.ts';
import { classify } from '../../vfs/mount/classify.ts';
import { resolvePath } from '../../vfs/paths.ts';
import type { Pointer } from '../engine/engine.ts';
import { readCString, withCString } from '../engine/strings.ts';
import { type HoldfastError, StorageError } from '../error.ts';
import { Connection } from './connection.ts';
import { explainFailure, refusalError } from './explain-error.ts';
import { Findings } from './findings.ts';
import { isUtf16 } from './header.ts';
import type { Rung } from './info.ts';
import { adviseOnAttached, planJournal } from './journal.ts';
import { checkOptions, DEFAULT_TIMEOUT_MS, type OpenOptions } from './options.ts';
import type { Runtime } from './runtime.ts';

export interface Opened {
  connection: Connection;
  /** Undefined for a database in memory. */
  file: DatabaseFile | undefined;
  rung: Rung;
  findings: Findings;
}

/** What native SQLite makes; this build's own default is 8192. */
const NEW_PAGE_SIZE = 4096;
const MEMORY = ':memory:';

/** Opens `path`: a file name, `:memory:`, or empty for a temporary file of its own. */
export function openConnection(runtime: Runtime, path: string, options: OpenOptions): Opened {
  checkOptions(path, options);
  const locking = options.locking ?? 'kernel';
  const vfs = runtime.vfs(locking);
  const inMemory = path === MEMORY || path === '';
  if (options.requireWal && !inMemory) demandWalPossible(runtime, vfs, path, options);
  const connection = openPointer(runtime, vfs, path, inMemory, options);
  const findings = new Findings(runtime.host, options.onFinding);
  try {
    const file = connection.path === undefined ? undefined : vfs.lastDatabase;
    connection.patience.opened = (attached) => adviseOnAttached(attached, findings);
    if (file && isUtf16(file)) throw utf16Error(file.path);
    const setJournal = file && planJournal(connection, file, options, findings);
    setUp(connection, options);
    setJournal?.();
    return { connection, file, rung: rungOf(file, locking), findings };
  } catch (error) {
    connection.abandon();
    throw error;
  }
}

/** Asked before a file is made, so that a refusal leaves none behind. Of one that exists more is known once it is open. */
function demandWalPossible(runtime: Runtime, vfs: FileVfs, name: string, { trustMount, journal = 'auto' }: OpenOptions): void {
  const path = resolved(runtime, vfs, name);
  if (runtime.host.sizeAt(path) >= 0) return;
  const ground = classify(runtime.host, path);
  const question = {
    path,
    onDisk: 'fresh',
    configured: journal,
    canShareMemory: true,
    readonly: false,
    requireWal: true,
  } as const;
  const { refusal } = decideJournal({ ...question, ground: trustMount ? trusted(ground) : ground });
  if (refusal) throw refusalError(path, refusal);
}

/**
 * For who wants the file to himself: opened for writing, without waiting and without the journal policy. He takes the exclusive
 * lock before the first read.
 */
export function openExclusively(runtime: Runtime, path: string): { connection: Connection; file: DatabaseFile } {
  const options: OpenOptions = { create: false, timeout: 0, journal: 'keep' };
  const vfs = runtime.vfs('kernel');
  const connection = openPointer(runtime, vfs, path, false, options);
  const file = vfs.lastDatabase as DatabaseFile;
  try {
    planJournal(connection, file, options, new Findings(runtime.host, () => {}));
    if (file.journal === 'fresh') connection.exec(`PRAGMA page_size=${NEW_PAGE_SIZE}`);
    return { connection, file };
  } catch (error) {
    connection.abandon();
    throw error;
  }
}

function openPointer(runtime: Runtime, vfs: FileVfs, path: string, inMemory: boolean, options: OpenOptions): Connection {
  const { engine } = runtime;
  const { c, memory } = engine;
  // Made absolute first, so that a name like "file:x?mode=ro" is the file of that name and never a URI.
  const target = inMemory ? path : resolved(runtime, vfs, path);
  const flags = options.readonly ? OPEN.READONLY : OPEN.READWRITE | ((options.create ?? true) ? OPEN.CREATE : 0);
  vfs.begin(undefined);
  vfs.trustMount = options.trustMount ?? false;
  const out = c.malloc(4);
  const result = withCString(engine, target, (zPath) =>
    withCString(engine, vfs.name, (zVfs) => c.openV2(zPath, out, flags, zVfs)),
  );
  vfs.trustMount = false;
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
