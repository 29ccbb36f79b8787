// Drives the steps of a probe: sleeps between them, and ends them in order when the user or the system wants to stop.

import type { Steps } from '../../../vfs/probe/steps.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Why steps were ended before their time. */
export type Stop = { signal: NodeJS.Signals } | { reason: string };

/**
 * Runs the steps to their end. On a signal, or when `stop` says so, they are ended early and clean up after themselves; the
 * answer then says why.
 */
export async function drive<T>(steps: Steps<T>, stop: Promise<string> = new Promise(() => {})): Promise<{ value: T } | Stop> {
  let stopped: Stop | undefined;
  let wake = () => {};
  const end = (why: Stop) => {
    stopped ??= why;
    wake();
  };
  const onSignal = (signal: NodeJS.Signals) => end({ signal });
  for (const signal of SIGNALS) process.on(signal, onSignal);
  void stop.then((reason) => end({ reason }));
  try {
    let ending = false;
    for (let step = steps.next(); ; ) {
      if (step.done) return stopped ?? { value: step.value };
      // While it cleans up, which is bounded, it is not ended once more.
      if (!stopped || ending) await sleep(step.value, (now) => (wake = ending ? () => {} : now));
      if (stopped && !ending) {
        ending = true;
        step = steps.return(undefined as never);
      } else step = steps.next();
    }
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

/** Ends this process as the signal would have ended it, so that shells and supervisors see what happened. */
export async function endBy(signal: NodeJS.Signals): Promise<never> {
  process.kill(process.pid, signal);
  // It arrives in a moment.
  for (;;) await new Promise((resolve) => setTimeout(resolve, 1000));
}

/** Lets signals and the other process have their turn even when there is nothing to sleep. */
function sleep(milliseconds: number, onWake: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    if (milliseconds === 0) {
      setImmediate(resolve);
      return;
    }
    const timer = setTimeout(resolve, milliseconds);
    onWake(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
