// The numbers of SQLite's C interface that the file layer speaks: result codes, open flags, lock levels, SHM flags.
// Source: https://sqlite.org/rescode.html, https://sqlite.org/c3ref/c_open_autoproxy.html and sqlite3.h.

export const OK = 0;
export const ERROR = 1;
export const PERM = 3;
export const BUSY = 5;
export const LOCKED = 6;
export const NOMEM = 7;
export const READONLY = 8;
export const INTERRUPT = 9;
export const IOERR = 10;
export const CORRUPT = 11;
export const NOTFOUND = 12;
export const FULL = 13;
export const CANTOPEN = 14;
export const PROTOCOL = 15;
export const NOTADB = 26;
export const ROW = 100;
export const DONE = 101;

export const IOERR_READ = IOERR | (1 << 8);
export const IOERR_SHORT_READ = IOERR | (2 << 8);
export const IOERR_WRITE = IOERR | (3 << 8);
export const IOERR_FSYNC = IOERR | (4 << 8);
export const IOERR_TRUNCATE = IOERR | (6 << 8);
export const IOERR_FSTAT = IOERR | (7 << 8);
export const IOERR_UNLOCK = IOERR | (8 << 8);
export const IOERR_RDLOCK = IOERR | (9 << 8);
export const IOERR_DELETE = IOERR | (10 << 8);
export const IOERR_ACCESS = IOERR | (13 << 8);
export const IOERR_CHECKRESERVEDLOCK = IOERR | (14 << 8);
export const IOERR_LOCK = IOERR | (15 << 8);
export const IOERR_CLOSE = IOERR | (16 << 8);
export const IOERR_SHMOPEN = IOERR | (18 << 8);
export const IOERR_SHMSIZE = IOERR | (19 << 8);
export const IOERR_SHMLOCK = IOERR | (20 << 8);
export const IOERR_SHMMAP = IOERR | (21 << 8);
export const IOERR_DELETE_NOENT = IOERR | (23 << 8);
export const IOERR_GETTEMPPATH = IOERR | (25 << 8);
export const CANTOPEN_ISDIR = CANTOPEN | (2 << 8);
export const CANTOPEN_FULLPATH = CANTOPEN | (3 << 8);
export const READONLY_CANTINIT = READONLY | (5 << 8);
export const READONLY_DBMOVED = READONLY | (4 << 8);
export const READONLY_DIRECTORY = READONLY | (6 << 8);

/** Flags of `xOpen` (https://sqlite.org/c3ref/c_open_autoproxy.html). */
export const OPEN = {
  READONLY: 0x1,
  READWRITE: 0x2,
  CREATE: 0x4,
  DELETEONCLOSE: 0x8,
  EXCLUSIVE: 0x10,
  MAIN_DB: 0x100,
  TEMP_DB: 0x200,
  TRANSIENT_DB: 0x400,
  MAIN_JOURNAL: 0x800,
  TEMP_JOURNAL: 0x1000,
  SUBJOURNAL: 0x2000,
  SUPER_JOURNAL: 0x4000,
  WAL: 0x80000,
  NOFOLLOW: 0x1000000,
} as const;

/** Lock levels of a database file (https://sqlite.org/lockingv3.html). */
export const LOCK = { NONE: 0, SHARED: 1, RESERVED: 2, PENDING: 3, EXCLUSIVE: 4 } as const;
export type LockLevel = (typeof LOCK)[keyof typeof LOCK];

/** Flags of `xShmLock`. sqlite-wasm does not export them. */
export const SHM = { UNLOCK: 1, LOCK: 2, SHARED: 4, EXCLUSIVE: 8 } as const;

/** What `xAccess` asks. */
export const ACCESS = { EXISTS: 0, READWRITE: 1, READ: 2 } as const;

/** Operations of `xFileControl` that we answer (https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html). */
export const FCNTL = {
  LOCKSTATE: 1,
  LAST_ERRNO: 4,
  SIZE_HINT: 5,
  CHUNK_SIZE: 6,
  PERSIST_WAL: 10,
  VFSNAME: 12,
  POWERSAFE_OVERWRITE: 13,
  TEMPFILENAME: 16,
  HAS_MOVED: 20,
} as const;

/** Device characteristics: a power cut while one sector is written does not touch its neighbours; reads need not be whole pages. */
export const IOCAP = { POWERSAFE_OVERWRITE: 0x1000, SUBPAGE_READ: 0x8000 } as const;

/** The name and signal of a primary result code, for messages. */
export function primary(code: number): number {
  return code & 0xff;
}
