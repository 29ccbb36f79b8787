// Who has a database open, and which of SQLite's locks he holds.

/** The files of one database: the main file and its sidecars. */
export type DatabasePart = 'main' | 'wal' | 'shm' | 'journal';

export interface HolderLock {
  /**
   * By SQLite's own name. On the main file `PENDING`, `RESERVED`, `SHARED`, `EXCLUSIVE` (the shared range, locked for writing);
   * on the wal-index `WAL-write`, `WAL-checkpoint`, `WAL-recover`, `WAL-read 0` to `WAL-read 4`, `dead-man`.
   */
  readonly lock: string;
  readonly kind: 'read' | 'write';
  /** A POSIX lock belongs to a process, an open file description (OFD) lock to a descriptor. */
  readonly owner: 'POSIX' | 'OFD';
}

export interface Holder {
  readonly pid: number;
  /** The command line, arguments separated by blanks; in brackets the name of a process without one. */
  readonly command: string;
  /** Milliseconds since 1970; undefined where it could not be read. */
  readonly startedAt: number | undefined;
  /** Where the process seems to run, if not where we do: `docker 3f2a…`, `another pid namespace`. */
  readonly container: string | undefined;
  /** The parts that it has open; a `lost` one is a file that was at this path and is not any more. */
  readonly files: readonly { readonly part: DatabasePart; readonly lost: boolean }[];
  readonly locks: readonly HolderLock[];
}

export interface HolderReport {
  readonly holders: readonly Holder[];
  /** Locks on these files whose holder could not be found. */
  readonly unattributed: readonly HolderLock[];
  /** Processes whose open files could not be looked at: each may be a holder. */
  readonly uninspected: number;
  /** Why holders may be missing from the list, in words; empty where nothing limits what we see. */
  readonly limits: readonly string[];
}
