// The journal mode that a database file itself declares, before SQLite has touched it.
//
// Source: https://sqlite.org/fileformat2.html#the_database_header

import type { Errnos } from '../errno.ts';
import type { Host } from '../host.ts';

/**
 * - `fresh`: no page, and no sidecar that holds data.
 * - `begun`: no page, but a rollback journal: somebody is making it, or was cut short while he did. SQLite finds out which.
 * - `rollback`, `wal`: as the header says.
 * - `foreign`: not the header of a database that SQLite can read; SQLite itself will say so.
 * - `orphan-wal`: no page, but a WAL that holds frames. SQLite would delete that WAL.
 * - `unknown`: the answer could not be had.
 */
export type JournalOnDisk = 'fresh' | 'begun' | 'rollback' | 'wal' | 'foreign' | 'orphan-wal' | 'unknown';

export const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
const WRITE_VERSION_AT = 18;
const READ_VERSION_AT = 19;
const ROLLBACK_VERSION = 1;
const WAL_VERSION = 2;
/** The header of a WAL, behind which its frames begin (https://sqlite.org/fileformat2.html#walformat). */
const WAL_HEADER_BYTES = 32;
/** An I/O error is often gone a moment later, and is never a verdict about a file system. */
const TRIES = 4;
const PAUSE_MS = 50;

/** What an open database file declares. Takes no lock and writes nothing. */
export function journalOnDisk(host: Host, errnos: Errnos, fd: number, path: string): JournalOnDisk {
  const header = new Uint8Array(HEADER_BYTES);
  const got = readPatiently(host, errnos, fd, header);
  if (got < 0) return 'unknown';
  if (got > 0) return got < HEADER_BYTES ? 'foreign' : declaredMode(header);
  if (holdsFrames(host, path)) {
    // Asked again in this order: whoever makes a database writes its first page before its WAL.
    const again = host.read(fd, header, 0, HEADER_BYTES, 0);
    if (again === 0) return 'orphan-wal';
    return again < HEADER_BYTES ? 'unknown' : declaredMode(header);
  }
  return host.sizeAt(`${path}-journal`) > 0 ? 'begun' : 'fresh';
}

/** Whether a WAL lies beside the database that holds more than its header. */
export function holdsFrames(host: Host, path: string): boolean {
  return host.sizeAt(`${path}-wal`) > WAL_HEADER_BYTES;
}

function readPatiently(host: Host, errnos: Errnos, fd: number, into: Uint8Array): number {
  const ioError = -errnos.number('EIO');
  let got = host.read(fd, into, 0, HEADER_BYTES, 0);
  for (let tries = 1; got === ioError && tries < TRIES; tries++) {
    host.sleep(PAUSE_MS);
    got = host.read(fd, into, 0, HEADER_BYTES, 0);
  }
  return got;
}

/** What the first bytes of a database say. */
export function declaredMode(header: Uint8Array): 'rollback' | 'wal' | 'foreign' {
  if (header.length < HEADER_BYTES || [...MAGIC].some((char, index) => header[index] !== char.charCodeAt(0))) return 'foreign';
  const write = header[WRITE_VERSION_AT];
  const read = header[READ_VERSION_AT];
  if (read === WAL_VERSION) return 'wal';
  return read === ROLLBACK_VERSION && (write === ROLLBACK_VERSION || write === WAL_VERSION) ? 'rollback' : 'foreign';
}

/** Makes the first page at `at` declare a rollback journal. */
export function declareRollback(page: Uint8Array, at: number): void {
  page[at + WRITE_VERSION_AT] = ROLLBACK_VERSION;
  page[at + READ_VERSION_AT] = ROLLBACK_VERSION;
}
