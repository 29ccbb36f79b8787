// What a database says of itself: its file, journal mode, rung of the ladder of guarantees, and engine.

import type { Finding } from '../../vfs/finding.ts';
import type { Classification } from '../../vfs/mount/classification.ts';

/**
 * The rung that a database stands on.
 *
 * - `mapped`: kernel locks and shared memory work here; WAL and rollback journals, together with native SQLite.
 * - `rollback`: kernel locks work, but WAL is not safe on this mount or memory cannot be shared; rollback journals only.
 * - `dotfile`: a `<database>.lock` folder, because the caller asked for it; only `unix-dotfile` peers are excluded.
 * - `memory`: no file at all.
 */
export type Rung = 'mapped' | 'rollback' | 'dotfile' | 'memory';

export interface DatabaseInfo {
  /** The resolved path; undefined for a database in memory. */
  readonly path: string | undefined;
  /** The journal mode in effect; `unknown` when a lock kept us from reading it. */
  readonly journalMode: string;
  readonly rung: Rung;
  /** Name of the engine. */
  readonly engine: string;
  /** Version of SQLite, such as `3.54.1`. */
  readonly sqliteVersion: string;
  /** Source id of SQLite: date and hash of its check-in. */
  readonly sourceId: string;
  /** The ground it stands on: mount, class of file system, whether WAL is safe; undefined for a database in memory. */
  readonly ground: Classification | undefined;
  /** What was found or done at open, or when the first write set the journal mode, that the owner of the file should know. */
  readonly findings: readonly Finding[];
}
