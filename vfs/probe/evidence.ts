// What a probe found out: the shapes of its facts, plain data that goes into JSON as it is.

/** A system call that failed: its name, and the errno by name. */
export interface Failure {
  outcome: 'failed';
  call: string;
  errno: string;
}

/**
 * Whether one side saw what the other had done. Milliseconds are those of the side that looked, from the moment it was told that
 * it was done; `atOnce`: at the first look.
 */
export type Sight = { outcome: 'seen'; atOnce: boolean; afterMs: number } | { outcome: 'unseen'; withinMs: number } | Failure;

/**
 * Whether a lock of one side kept the other out. `excludes`: as SQLite needs it, in all ways tried. `ignored`: it was granted to
 * both. `flawed`: something in between.
 */
export type Exclusion = { outcome: 'excludes' } | { outcome: 'ignored' } | { outcome: 'flawed'; flaw: string } | Failure;

/** A race for names that only one may make. */
export type Race =
  | { outcome: 'exclusive'; names: number; ours: number; theirs: number }
  | { outcome: 'broken'; names: number; twoWinners: number; noWinner: number }
  | Failure;

/** Files replaced by renaming over them, while the other side reads. */
export type Replacement =
  | { outcome: 'atomic'; reads: number; last: Sight }
  | { outcome: 'torn'; reads: number; missing: number; torn: number }
  | Failure;

/** One fact for each direction. */
export interface BothWays<T> {
  /** What the other side saw of ours. */
  ours: T;
  /** What we saw of theirs. */
  theirs: T;
}

export interface Writes {
  /** A new file, through a new descriptor. */
  created: Sight;
  /** A change, through a descriptor that was open before, without any lock. */
  kept: Sight;
  /** A change made and read under locks, as SQLite does it, through a descriptor that was open before. */
  locked: Sight;
  /** A file that grew, in the same way. */
  grown: Sight;
  /** A change, through a new descriptor. */
  reopened: Sight;
}

/** What one side says of itself. */
export interface SideFacts {
  /** The type of the file system there, as its own mount table has it. Null if it is not known. */
  fsType: string | null;
  /** The boot id of the kernel (the first 12 digits); null where the system has none. */
  kernel: string | null;
}

/** What two sides found out together, as one of them tells it. A fact is missing if it was not reached. */
export interface Exchange {
  us?: SideFacts;
  them?: SideFacts;
  /** Both run on one kernel, which says nothing of whether they use one mount. Null if it is not known. */
  sameKernel?: boolean | null;
  /** Milliseconds until the other side answered at all; includes its coming. */
  waitedMs?: number;
  /** Half of a round of two names, the middle of several; nothing that is faster can be noticed as late. */
  nameMs?: number;
  exclusiveCreate?: Race;
  makeDirectory?: Race;
  replacement?: BothWays<Replacement>;
  writes?: BothWays<Writes>;
  locks?: BothWays<Exclusion>;
  /** Whether the file could be mapped, shared and writable. */
  mapping?: BothWays<{ outcome: 'mapped' } | Failure>;
  /** Stores into mapped memory; missing where either side cannot map. */
  memory?: BothWays<Sight>;
}

/** Something that a folder must be able to do, tried by one process alone. */
export type Check = { outcome: 'works' } | { outcome: 'fails'; why: string } | Failure;

/** What one process tried by itself. */
export interface Alone {
  exclusiveCreate: Check;
  grow: Check;
  truncate: Check;
  syncFile: Check;
  syncDirectory: Check;
  renameOver: Check;
  unlinkOpen: Check;
  lock: Check;
  map: Check;
  /** Null if the file system does not say. */
  freeBytes: number | null;
}
