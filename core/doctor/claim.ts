// A database for ourselves alone: nobody has it, and while we hold it nobody can get it.

import * as code from '../../vfs/codes.ts';
import type { JournalOnDisk } from '../../vfs/journal/on-disk.ts';
import type { Connection } from '../database/connection.ts';
import { openExclusively } from '../database/open.ts';
import type { Runtime } from '../database/runtime.ts';
import { DatabaseLockedError } from '../error.ts';

/**
 * Takes the exclusive lock, which is the proof that nobody uses the file: a connection that has read a WAL database keeps a
 * shared one, and a rollback journal is used under one. With the file to itself SQLite needs no shared memory, so this works
 * on mounts where WAL cannot.
 * @throws DatabaseLockedError if somebody has a lock on it; StorageError if it cannot be opened.
 */
export function withClaim<T>(runtime: Runtime, path: string, use: (connection: Connection, onDisk: JournalOnDisk) => T): T {
  const { connection, file } = openExclusively(runtime, path);
  try {
    if (file.journal === 'foreign' || file.journal === 'unknown') connection.exec('SELECT 1 FROM sqlite_schema LIMIT 1');
    connection.exec('PRAGMA locking_mode=EXCLUSIVE');
    connection.exec('BEGIN EXCLUSIVE; COMMIT');
    const result = use(connection, file.journal);
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
