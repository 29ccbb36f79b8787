// Comparing what a contender answered with what is known of the data: a wrong answer fails the run.

export function same(what, got, expected) {
  if (got !== expected) throw new Error(`${what}: ${String(got).slice(0, 80)} instead of ${String(expected).slice(0, 80)}`);
}

/** For sums of reals, whose order of addition is free. */
export function near(what, got, expected) {
  if (!(Math.abs(got - expected) <= 1e-9 * Math.abs(expected))) throw new Error(`${what}: ${got} instead of ${expected}`);
}

export function sameBytes(what, got, expected) {
  if (!(got instanceof Uint8Array) || Buffer.compare(got, expected) !== 0)
    throw new Error(`${what}: other bytes than were stored`);
}

/** The file that was written is a sound database. */
export function sound(db) {
  same('integrity_check', db.prepare('PRAGMA integrity_check').get().integrity_check, 'ok');
}
