// What the prompt and the thread that runs its statements say to each other.

import type { SqlOptions } from '../sql/options.ts';

/** How the thread is started. */
export interface Start {
  file: string;
  options: SqlOptions;
  /** Set to 1 to cancel what is running. */
  interrupt: Int32Array;
}

/** Complete statements, a command that begins with a dot, or the end. */
export type Request = { statements: string[] } | { command: string; argument: string } | { end: true };

/** The database is open; or it could not be opened, which has been said; or a request is done. */
export type Answer = { opened: string } | { failed: true } | { done: true; inTransaction: boolean };
