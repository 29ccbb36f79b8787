// A database for ourselves alone: nobody has it, and while we hold it nobody can get it.

import * as code from '../../vfs/codes.ts';
import type { DatabaseFile } from '../../vfs/database-file.ts';
import { classify } from '../../vfs/mount/classify.ts';
import type { Connection } from '../database/connection.ts';
import { openExclusively } from '../database/open.ts';
import type { Runtime } from '../database/runtime.ts';
import { DatabaseLockedError, StorageError } from '../error.ts';

/**
 * Takes the exclusive lock, which is the proof that nobody uses the file: a connection that has read a WAL database keeps a
 * shared one, and a rollback journal is used under one. With the file to itself SQLite needs no shared memory, so this works
 * on mounts where WAL cannot.
 * @throws DatabaseLockedError if somebody has a lock on it; StorageError if it cannot be opened for writing, or is reached in two
 * ways, each with sidecars of its own.
 */
export function withClaim<T>(runtime: Runtime, path: string, use: (connection: Connection, file: DatabaseFile) => T): T {
  demandOneWay(runtime, path);
  const { connection, file } = openExclusively(runtime, path);
  try {
    if (connection.isReadonly)
      throw refused(
        path,
        'HOLDFAST_NOT_WRITABLE',
        'it cannot be written: its mode, its owner or the mount forbids it',
        'Run it as the user that owns the file.',
      );
    if (file.journal === 'foreign' || file.journal === 'unknown') connection.exec('SELECT 1 FROM sqlite_schema LIMIT 1');
    connection.exec('PRAGMA locking_mode=EXCLUSIVE');
    connection.exec('BEGIN EXCLUSIVE; COMMIT');
    const result = use(connection, file);
    // Without shared memory, SQLite knows nothing of a wal-index that a crash had left.
    if (runtime.host.sizeAt(`${path}-shm`) >= 0) runtime.host.unlink(`${path}-shm`);
    connection.close();
    return result;
  } catch (error) {
    connection.abandon();
    throw error;
  }
}

/** Brings all of the WAL into the database; throws if it did not come to its end. */
export function checkpointAll(connection: Connection): void {
  // The first column is 1 if something was in the way (https://sqlite.org/pragma.html#pragma_wal_checkpoint).
  if (connection.pragmaText('wal_checkpoint(TRUNCATE)') === '0') return;
  throw new DatabaseLockedError('the WAL could not be checkpointed to its end', { code: 'SQLITE_BUSY', resultCode: code.BUSY });
}

/** A WAL lies beside the name that a database was opened by. Under another name it would be overlooked, and played back later. */
function demandOneWay({ host }: Runtime, path: string): void {
  const status = host.status(path);
  if (typeof status !== 'number' && status.links > 1)
    throw refused(
      path,
      'HOLDFAST_HARD_LINKS',
      `it has ${status.links} names (hard links), and beside another one there may be a WAL that belongs to it`,
      'Remove the other names first; find -samefile lists them.',
    );
  if (classify(host, path).fileIsMountPoint)
    throw refused(
      path,
      'HOLDFAST_FILE_MOUNT',
      'it is mounted by itself, and its WAL may lie in the folder that was its own',
      'Do it there, or mount its folder.',
    );
}

function refused(path: string, name: string, why: string, hint: string): StorageError {
  return new StorageError(`${path} was left as it is: ${why}. ${hint}`, { code: name, resultCode: code.CANTOPEN, path, hint });
}
