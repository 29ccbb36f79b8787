// Stopping a running statement from another thread: a progress handler that looks at a shared flag, or merely runs, where
// a thread can be terminated only in JavaScript.

import type { Engine, Pointer } from '../engine/engine.ts';
import type { InterruptFlag } from './patience.ts';

/** Virtual machine steps between two looks: some tens of microseconds, so a cancel is felt as immediate and costs nothing. */
const EVERY_STEPS = 1000;

export class InterruptHandlers {
  readonly #engine: Engine;
  readonly #flags = new Map<number, InterruptFlag | undefined>();
  #callback: Pointer = 0;
  #next = 1;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Statements of this connection end with SQLITE_INTERRUPT while the flag's first element is not 0, if there is a flag. */
  install(db: Pointer, flag: InterruptFlag | undefined): () => void {
    if (this.#callback === 0) {
      const call = (id?: number) => {
        const flag = this.#flags.get(id as number);
        return flag === undefined || Atomics.load(flag, 0) === 0 ? 0 : 1;
      };
      [this.#callback = 0] = this.#engine.callbacks([{ signature: 'ii', call }]);
    }
    const id = this.#next++;
    this.#flags.set(id, flag);
    this.#engine.c.progressHandler(db, EVERY_STEPS, this.#callback, id);
    return () => void this.#flags.delete(id);
  }
}
