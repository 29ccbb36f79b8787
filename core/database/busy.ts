// Waiting for locks: the busy handler of one connection, how long it may wait, and how long it did.

import type { Host } from '../../vfs/host.ts';
import type { Engine, Pointer } from '../engine/engine.ts';

/** Milliseconds before each try, as native SQLite waits; the last one repeats. */
const DELAYS = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100];
/** Up to this share is taken off each delay, so that processes that woke together do not come back together. */
const JITTER = 0.25;

/** Set to something other than 0 by another thread, it ends a wait or a running statement. */
export type InterruptFlag = Int32Array;

export class Patience {
  timeoutMs: number;
  /** Milliseconds waited in the present or last call; undefined if no lock was in the way. */
  waitedMs: number | undefined;
  readonly #host: Host;
  readonly #interrupt: InterruptFlag | undefined;
  #since = 0;

  constructor(host: Host, timeoutMs: number, interrupt: InterruptFlag | undefined) {
    this.#host = host;
    this.timeoutMs = timeoutMs;
    this.#interrupt = interrupt;
  }

  /** A new call begins: nothing was waited yet. */
  begin(): void {
    this.waitedMs = undefined;
  }

  /** Waits before try number `count`; false when patience is at an end. */
  wait(count: number): boolean {
    const now = this.#host.monotonic();
    // SQLite counts from 0 for each lock; the time of one call is counted through.
    if (this.waitedMs === undefined) {
      this.#since = now;
      this.waitedMs = 0;
    }
    this.waitedMs = now - this.#since;
    const left = this.timeoutMs - this.waitedMs;
    if (left <= 0 || this.#interrupt?.[0]) return false;
    const delay = DELAYS[Math.min(count, DELAYS.length - 1)] as number;
    const jittered = delay * (1 - JITTER * Math.random());
    this.#host.sleep(Math.min(jittered, left), this.#interrupt);
    this.waitedMs = this.#host.monotonic() - this.#since;
    return true;
  }
}

/** All connections of one engine share one C callback; each is known to it by a number. */
export class BusyHandlers {
  readonly #engine: Engine;
  readonly #callback: Pointer;
  readonly #patiences = new Map<number, Patience>();
  #next = 1;

  constructor(engine: Engine) {
    this.#engine = engine;
    const call = (id?: number, count?: number) => (this.#patiences.get(id as number)?.wait(count as number) ? 1 : 0);
    [this.#callback = 0] = engine.callbacks([{ signature: 'iii', call }]);
  }

  /** Installs the handler on a connection; the answer takes it out of the table again. */
  install(db: Pointer, patience: Patience): () => void {
    const id = this.#next++;
    this.#patiences.set(id, patience);
    this.#engine.c.busyHandler(db, this.#callback, id);
    return () => void this.#patiences.delete(id);
  }
}
