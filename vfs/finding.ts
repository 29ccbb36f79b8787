// A finding: something about a database or the ground it stands on that its owner should know, and what to do about it.

/** `info`: nothing to do. `warning`: act when you can. `error`: data is in danger, or what was configured is not in effect. */
export type Severity = 'info' | 'warning' | 'error';

export interface Finding {
  readonly severity: Severity;
  /** A stable name, for programs: `wal-on-unsafe-mount`. */
  readonly code: string;
  /** The database (or other file) that it is about. */
  readonly path: string;
  /** What is so, and why it matters: one sentence, without a full stop. */
  readonly message: string;
  /** What to do next; undefined where there is nothing to do. */
  readonly remedy?: string;
}
