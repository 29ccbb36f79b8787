// The safe offline conversion between WAL and a rollback journal: nobody has the file, it is claimed, and what came of it is read back.

import * as code from '../../vfs/codes.ts';
import { describeHolders } from '../../vfs/holders/describe.ts';
import { holdersOf } from '../../vfs/holders/scan.ts';
import type { JournalOnDisk } from '../../vfs/journal/on-disk.ts';
import { classify } from '../../vfs/mount/classify.ts';
import type { Connection } from '../database/connection.ts';
import { openExclusively } from '../database/open.ts';
import type { Runtime } from '../database/runtime.ts';
import { DatabaseLockedError, type HoldfastError, LockingError, StorageError } from '../error.ts';
import { checkpointAll, withClaim } from './claim.ts';

export type TargetMode = 'wal' | 'delete';

export interface Conversion {
  readonly path: string;
  readonly from: JournalOnDisk;
  /** What `PRAGMA journal_mode` answered at the end. */
  readonly pragma: string;
  /** What bytes 18 and 19 of the file say after it was closed. */
  readonly header: JournalOnDisk;
  readonly changed: boolean;
  /** Why somebody may have it open whom we could not see. A lock on it nobody had. */
  readonly unseen: readonly string[];
}

/**
 * Converts a database that nobody has open. `path` is resolved and exists.
 * @throws DatabaseLockedError if anybody holds the file; LockingError for WAL on a mount where it is not safe, unless `force`;
 * StorageError if the file cannot be opened, or is not as it should be afterwards.
 */
export function convertJournal(runtime: Runtime, path: string, target: TargetMode, force: boolean): Conversion {
  const ground = classify(runtime.host, path);
  if (target === 'wal' && !ground.walSafe && !force) throw unsafeTarget(path, ground.reason);
  const unseen = demandUnheld(runtime, path);
  // Without a page there is nothing to convert, and taking the lock would make one. It gets a rollback journal by itself.
  if (target === 'delete' && headerNow(runtime, path) === 'fresh')
    return { path, from: 'fresh', pragma: target, header: 'fresh', changed: false, unseen };
  let done: { from: JournalOnDisk; pragma: string };
  try {
    done = withClaim(runtime, path, (connection, file) => {
      if (target === 'wal' && !file.canShareMemory()) throw noMemory(path);
      file.walAllowed ||= force;
      return { from: file.journal, pragma: switchMode(connection, target) };
    });
  } catch (error) {
    throw error instanceof DatabaseLockedError ? held(runtime, path, error.message) : error;
  }
  const header = headerNow(runtime, path);
  const wanted = target === 'wal' ? 'wal' : 'rollback';
  if (done.pragma !== target || header !== wanted) throw notConverted(path, target, done.pragma, header);
  return { path, ...done, header, changed: done.from !== header, unseen };
}

function switchMode(connection: Connection, target: TargetMode): string {
  // Everything out of the WAL first: what follows has then nothing to lose.
  if (connection.pragmaText('journal_mode') === 'wal') checkpointAll(connection);
  return connection.pragmaText(`journal_mode=${target}`) ?? 'unknown';
}

function demandUnheld(runtime: Runtime, path: string): string[] {
  const { holders, unattributed, uninspected, limits } = holdersOf(runtime.host, path);
  if (holders.length > 0 || unattributed.length > 0) throw held(runtime, path);
  const count = uninspected === 1 ? '1 process' : `${uninspected} processes`;
  return uninspected > 0 ? [`${count} could not be inspected`, ...limits] : [...limits];
}

function headerNow(runtime: Runtime, path: string): JournalOnDisk {
  const { connection, file } = openExclusively(runtime, path);
  connection.close();
  return file.journal;
}

function held(runtime: Runtime, path: string, why?: string): DatabaseLockedError {
  const report = holdersOf(runtime.host, path);
  const hint = 'Stop these processes (agents, gateways, cron jobs, workers), and run it again.';
  return new DatabaseLockedError(
    `${path} is in use, so its journal mode was not changed: ${describeHolders(report, { self: runtime.host.processId, now: runtime.host.now() })}${why ? ` (${why})` : ''}. ${hint}`,
    { code: 'HOLDFAST_HELD', resultCode: code.BUSY, path, hint, holders: report.holders },
  );
}

function unsafeTarget(path: string, reason: string): LockingError {
  const hint = 'Move the database to a native file system first; --force converts it all the same.';
  return new LockingError(`WAL is not safe for ${path}: ${reason}. ${hint}`, {
    code: 'HOLDFAST_WAL_UNSAFE',
    resultCode: code.CANTOPEN,
    path,
    hint,
  });
}

function noMemory(path: string): LockingError {
  const hint = 'Move the database to a native file system first.';
  return new LockingError(
    `${path} was not put into WAL mode: memory cannot be shared between processes here (mmap), so nobody could open it. ${hint}`,
    { code: 'HOLDFAST_WAL_UNUSABLE', resultCode: code.CANTOPEN, path, hint },
  );
}

function notConverted(path: string, target: string, pragma: string, header: JournalOnDisk): HoldfastError {
  return new StorageError(
    `${path} was not converted to ${target}: SQLite says ${pragma}, and the header of the file says ${header}`,
    { code: 'HOLDFAST_NOT_CONVERTED', resultCode: code.ERROR, path },
  );
}
