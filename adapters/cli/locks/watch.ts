// Looking again and again: until a signal ends it, or whoever reads us has gone.

import { stdout } from '../output/output.ts';
import type { Look, LookPrinter } from './command.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** `interval` in seconds. Answers the exit status of the last look; if the first one fails it is the last. */
export async function watch(look: () => Look, printer: LookPrinter, interval: number): Promise<number> {
  const pause = new Pause();
  for (const signal of SIGNALS) process.once(signal, pause.end);
  try {
    let now = look();
    await printer.print(now);
    const isHopeless = now.failure !== undefined;
    while (!isHopeless && !stdout.closed && (await pause.wait(interval * 1000))) {
      now = look();
      await printer.print(now);
    }
    return now.status;
  } finally {
    for (const signal of SIGNALS) process.off(signal, pause.end);
  }
}

/** A sleep that can be ended for good. */
class Pause {
  #ended = false;
  #wake: (() => void) | undefined;

  readonly end = (): void => {
    this.#ended = true;
    this.#wake?.();
  };

  /** False if it was ended. */
  async wait(milliseconds: number): Promise<boolean> {
    if (this.#ended) return false;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
    return !this.#ended;
  }
}
