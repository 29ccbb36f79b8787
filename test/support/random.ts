// Random numbers from a seed, so that a failure can be played again: SEED=… in the environment sets it.

/** The seed of this run; to be printed where a test fails. */
export const seed = process.env.SEED ? Number(process.env.SEED) : Date.now() % 2 ** 31;

/** mulberry32: numbers from 0 to below `limit`. */
export function randomFrom(start: number): (limit: number) => number {
  let state = start | 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}
