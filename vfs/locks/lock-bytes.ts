// The bytes that SQLite locks, in the main file and in the wal-index, and the names that these locks go by.
//
// Source: https://sqlite.org/lockingv3.html, https://sqlite.org/walformat.html#locks, and SQLite's os.h and os_unix.c.

/** One byte past the first GiB: no page of a database lives there, whatever its size. */
export const PENDING_BYTE = 0x40000000;
export const RESERVED_BYTE = PENDING_BYTE + 1;
export const SHARED_FIRST = PENDING_BYTE + 2;
/** Readers lock all of them; native SQLite on systems without read locks picks one at random. */
export const SHARED_SIZE = 510;

/** First lock byte in the -shm file: behind the header (48 bytes twice) and the checkpoint information (24). */
export const SHM_LOCK_BASE = 120;
/** The locks of the wal-index, one byte each, from the base on. */
export const WAL_LOCKS = [
  'WAL-write',
  'WAL-checkpoint',
  'WAL-recover',
  'WAL-read 0',
  'WAL-read 1',
  'WAL-read 2',
  'WAL-read 3',
  'WAL-read 4',
] as const;
/** Behind them the dead-man byte: every live connection holds a read lock on it, so that the first one can tell. */
export const DEAD_MAN_BYTE = SHM_LOCK_BASE + WAL_LOCKS.length;
export const DEAD_MAN_LOCK = 'dead-man';
