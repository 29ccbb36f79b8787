// What Holdfast wants to reach, and whether the numbers of a section say so.

import { geometricMean } from './statistics.mjs';

/** Holdfast's median as a multiple of the peer's; below 1 it is the faster one. */
export function ratio(result, peer) {
  const ours = result.times.Holdfast;
  const theirs = result.times[peer];
  return ours && theirs ? ours.median / theirs.median : undefined;
}

/** Mean over the workloads that are times; memory is not mixed in. */
export function meanRatio(results, peer) {
  const ratios = results.filter(({ unit }) => unit === 'ms').map((result) => ratio(result, peer));
  return ratios.length > 0 && ratios.every((one) => one !== undefined) ? geometricMean(ratios) : undefined;
}

function worst(results, peer) {
  return results
    .map(({ title, ...result }) => ({ title, ratio: ratio(result, peer) }))
    .reduce((a, b) => (b.ratio > a.ratio ? b : a));
}

/** Answers [{ target, got, reached }]; only those for which the section has the numbers. */
export function targetsOf({ contenders, results }) {
  const has = (name) => contenders.some((contender) => contender.name === name && !contender.unavailable);
  const times = results.filter(({ unit }) => unit === 'ms');
  const selects = results.find(({ name }) => name === 'point-select');
  const targets = [];
  const add = (target, value, got, reached) => targets.push({ target, value, got, reached });
  if (has('better-sqlite3') && times.length > 0) {
    const mean = meanRatio(results, 'better-sqlite3');
    const { title, ratio: most } = worst(results, 'better-sqlite3');
    add('geometric mean ≤ 1.25 × better-sqlite3', mean, `${mean.toFixed(2)} ×`, mean <= 1.25);
    add('no workload over 2 × better-sqlite3', most, `at most ${most.toFixed(2)} × (${title})`, most <= 2);
  }
  if (has('node-sqlite3-wasm') && times.length > 0) {
    const { title, ratio: most } = worst(times, 'node-sqlite3-wasm');
    add('faster than node-sqlite3-wasm in all', most, `at most ${most.toFixed(2)} × its time (${title})`, most < 1);
  }
  if (has('node-sqlite3-wasm') && selects) {
    const gain = 1 / ratio(selects, 'node-sqlite3-wasm');
    add('point selects ≥ 10 × faster than node-sqlite3-wasm', gain, `${gain.toFixed(1)} × faster`, gain >= 10);
  }
  return targets;
}
