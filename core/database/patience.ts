// Waiting for locks on behalf of one connection: how long it may, how long it did, and who can end it early.
//
// SQLite's own busy handler decides when to try again (sqlite3_busy_timeout, so that PRAGMA busy_timeout means what it says);
// it sleeps through the VFS, and the VFS through us.

import type { DatabaseFile } from '../../vfs/database-file.ts';
import type { Waiter } from '../../vfs/fault.ts';
import type { Host } from '../../vfs/host.ts';

/** Milliseconds before each try of a wait that is ours alone, as SQLite's handler has them; the last one repeats. */
const DELAYS = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100];
/**
 * Each delay is longer or shorter by up to this share, so that processes that woke together do not come back together. In
 * both directions, since SQLite's handler counts the delays that it asked for, and the sum must stay what the caller said.
 */
const JITTER = 0.25;

/** Set to something other than 0 by another thread, it ends a wait or a running statement. */
export type InterruptFlag = Int32Array;

export class Patience implements Waiter {
  /** Milliseconds that the connection was opened with. */
  readonly timeoutMs: number;
  /** Told of database files that a statement opens. */
  opened?: (file: DatabaseFile) => void;
  readonly #host: Host;
  readonly #interrupt: InterruptFlag | undefined;
  #since: number | undefined;

  constructor(host: Host, timeoutMs: number, interrupt: InterruptFlag | undefined) {
    this.#host = host;
    this.timeoutMs = timeoutMs;
    this.#interrupt = interrupt;
  }

  /** Milliseconds since the first wait of the present call; undefined if no lock was in the way. */
  get waitedMs(): number | undefined {
    return this.#since === undefined ? undefined : this.#host.monotonic() - this.#since;
  }

  get interrupted(): boolean {
    return this.#interrupt !== undefined && this.#interrupt[0] !== 0;
  }

  /** A new call begins: nothing was waited yet. */
  begin(): void {
    this.#since = undefined;
  }

  sleep(milliseconds: number): void {
    this.#since ??= this.#host.monotonic();
    this.#host.sleep(milliseconds * (1 + JITTER * (2 * Math.random() - 1)), this.#interrupt);
  }

  /** For what SQLite does not ask its busy handler about: waits before try number `count`; false at the end of patience. */
  wait(count: number): boolean {
    if ((this.waitedMs ?? 0) >= this.timeoutMs || this.interrupted) return false;
    const left = this.timeoutMs - (this.waitedMs ?? 0);
    this.sleep(Math.min(left, DELAYS[Math.min(count, DELAYS.length - 1)] as number));
    return true;
  }
}
