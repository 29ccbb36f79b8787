// From a result code to the error a person reads: which file, which call, which lock, which mount, and what to do next.

import * as code from '../../vfs/codes.ts';
import type { Fault, LockConflict } from '../../vfs/fault.ts';
import type { FileVfs } from '../../vfs/file-vfs.ts';
import type { Refusal } from '../../vfs/journal/policy.ts';
import { type Mount, mountOf, parseMountInfo } from '../../vfs/mount/mountinfo.ts';
import { DatabaseLockedError, type ErrorDetails, type HoldfastError, LockingError, SqliteError, StorageError } from '../error.ts';
import { resultName } from '../result-names.ts';
import { blame } from './lock-blame.ts';

/** What the connection knows when a call fails. */
export interface FailureContext {
  /** The extended result code. */
  resultCode: number;
  /** SQLite's own message. */
  message: string;
  /** The database's path; undefined for a database in memory. */
  path: string | undefined;
  vfs: FileVfs;
  /** How long was waited for a lock, in milliseconds; undefined if it was not. */
  waitedMs: number | undefined;
  sqlOffset?: number;
}

const NO_LOCKS = ['ENOSYS', 'EINVAL', 'ENOLCK', 'EOPNOTSUPP'];
const LOCK_CODES = new Set([
  code.IOERR_LOCK,
  code.IOERR_RDLOCK,
  code.IOERR_UNLOCK,
  code.IOERR_CHECKRESERVEDLOCK,
  code.IOERR_SHMLOCK,
]);
const STORAGE = new Set([code.PERM, code.READONLY, code.IOERR, code.CORRUPT, code.FULL, code.CANTOPEN, code.NOTADB, code.NOMEM]);

export function explainFailure(context: FailureContext): HoldfastError {
  const primary = code.primary(context.resultCode);
  if (primary === code.BUSY || context.resultCode === code.PROTOCOL) return busyError(context);
  if (primary === code.INTERRUPT) return interruptedError(context);
  if (STORAGE.has(primary)) return storageError(context);
  return new SqliteError(context.message, baseDetails(context));
}

function baseDetails(context: FailureContext): ErrorDetails {
  const details: ErrorDetails = { code: resultName(context.resultCode), resultCode: context.resultCode };
  if (context.path !== undefined) details.path = context.path;
  if (context.sqlOffset !== undefined && context.sqlOffset >= 0) details.sqlOffset = context.sqlOffset;
  return details;
}

function busyError(context: FailureContext): DatabaseLockedError {
  const details = baseDetails(context);
  const conflict: LockConflict | undefined = context.vfs.lastConflict;
  const waited = Math.round(context.waitedMs ?? 0);
  details.waitedMs = waited;
  const parts = [`${context.message}: ${context.path ?? 'a database in memory'}`];
  if (details.code === 'SQLITE_BUSY_SNAPSHOT') {
    details.hint = 'This transaction read before somebody else wrote. Roll it back and run it again, begun with BEGIN IMMEDIATE.';
    parts.push('its snapshot is older than the last commit, so it can never write');
  } else if (conflict) {
    details.lock = conflict.lock;
    const { clause, holders, pid } = blame(context.vfs.host, conflict, waited);
    details.holders = holders;
    if (pid !== undefined) details.holderPid = pid;
    parts.push(`the ${conflict.lock} lock ${clause}`);
    details.hint = conflict.lock.startsWith('dot-file')
      ? 'If no process uses this database, a killed one left the folder behind: remove it.'
      : 'Let the other writer finish, or open with a longer timeout.';
  }
  parts.push(context.waitedMs === undefined ? 'not waited' : `waited ${waited} ms`);
  return new DatabaseLockedError(withHint(parts.join('; '), details), details);
}

function interruptedError(context: FailureContext): SqliteError {
  const details = baseDetails(context);
  const { lastConflict } = context.vfs;
  if (lastConflict === undefined) return new SqliteError(context.message, details);
  details.lock = lastConflict.lock;
  details.waitedMs = Math.round(context.waitedMs ?? 0);
  return new SqliteError(
    `${context.message}: ${context.path}; waited ${details.waitedMs} ms for the ${details.lock} lock`,
    details,
  );
}

function storageError(context: FailureContext): StorageError {
  const details = baseDetails(context);
  const fault = faultBehind(context);
  if (fault?.refusal) return refusalError(fault.path, fault.refusal);
  const parts = [context.path === undefined ? context.message : `${context.message}: ${context.path}`];
  if (fault) {
    if (fault.path) details.path = fault.path;
    if (fault.call) details.syscall = fault.call;
    const { errnos } = context.vfs;
    if (fault.errno > 0) {
      details.errno = errnos.name(fault.errno);
      const where = fault.path === context.path ? '' : ` ${fault.path}`;
      parts.push(`${fault.doing}${where}: ${fault.call} said ${details.errno} (${errnos.meaning(fault.errno)})`);
    } else parts.push(fault.doing);
  }
  const where = fault?.path ?? context.path;
  const mount = where === undefined ? undefined : findMount(context.vfs, where);
  if (mount) details.mount = { mountPoint: mount.mountPoint, fsType: mount.fsType, source: mount.source };
  const noLocks = fault !== undefined && LOCK_CODES.has(context.resultCode) && NO_LOCKS.includes(details.errno ?? '');
  if (noLocks && mount)
    parts.push(`locking does not work on the mount ${mount.mountPoint} (type ${mount.fsType}, source ${mount.source})`);
  else if (noLocks) parts.push('locking does not work on this file system');
  const hint = noLocks
    ? "Move the database to a local file system; or, if nothing else opens it but users of SQLite's unix-dotfile VFS, open it with locking: 'dotfile'."
    : hintFor(context.resultCode, details.errno);
  if (hint !== undefined) details.hint = hint;
  const type = noLocks ? LockingError : StorageError;
  return new type(withHint(parts.join('; '), details), details);
}

/** What the file layer or the journal policy refused. */
export function refusalError(path: string, { code: name, message, hint }: Refusal): StorageError {
  const type = name.startsWith('HOLDFAST_WAL_') ? LockingError : StorageError;
  return new type(`${message}. ${hint}`, { code: name, resultCode: code.CANTOPEN, path, hint });
}

/** The remembered fault, if it is the cause of this very code. */
function faultBehind(context: FailureContext): Fault | undefined {
  const fault = context.vfs.lastFault;
  return fault && code.primary(fault.code) === code.primary(context.resultCode) ? fault : undefined;
}

export function findMount(vfs: FileVfs, path: string): Mount | undefined {
  const table = vfs.host.readText('/proc/self/mountinfo');
  return table === undefined ? undefined : mountOf(parseMountInfo(table), path);
}

function hintFor(resultCode: number, errno: string | undefined): string | undefined {
  switch (errno) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'Free some space there. The transaction was rolled back; what was committed before is intact.';
    case 'ENOENT':
      return 'Check the path; its directory must exist.';
    case 'EACCES':
    case 'EPERM':
      return 'Check who owns the file and its directory: SQLite writes journals beside the database.';
    case 'EROFS':
      return 'Open it with readonly: true, or move it to a file system mounted for writing.';
    case 'EMFILE':
      return 'Raise the limit of open files (ulimit -n), or close databases that are not in use.';
    case 'ENAMETOOLONG':
      return "SQLite adds '-journal' to the name; shorten it so that both fit the file system's limit, which is 255 bytes on most.";
  }
  if (resultCode === code.NOTADB) return 'It is not an SQLite database, is encrypted, or its first page is damaged.';
  return undefined;
}

function withHint(message: string, details: ErrorDetails): string {
  return details.hint === undefined ? message : `${message}. ${details.hint}`;
}
