// What was said once in this process and need not be said again, remembered for all its threads.

import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

const NAME = 'holdfast.first-time';
/** Keys remembered; beyond them every key is new, so that rather too much is said than too little. */
const SLOTS = 4096;

/** Environment data reaches every worker that is begun later, and the memory in it is shared. */
function sharedTable(): BigInt64Array {
  const known = getEnvironmentData(NAME) as unknown;
  const buffer = known instanceof SharedArrayBuffer ? known : new SharedArrayBuffer(SLOTS * 8);
  if (buffer !== known) setEnvironmentData(NAME, buffer as never);
  return new BigInt64Array(buffer);
}

const table = sharedTable();

/** FNV-1a of 64 bits (https://datatracker.ietf.org/doc/html/draft-eastlake-fnv), never 0. */
function hashOf(key: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(key)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return BigInt.asIntN(64, hash) || 1n;
}

/** True for the first to ask for this key. */
export function firstTime(key: string): boolean {
  const hash = hashOf(key);
  for (let slot = 0; slot < SLOTS; slot++) {
    const before = Atomics.compareExchange(table, slot, 0n, hash);
    if (before === 0n) return true;
    if (before === hash) return false;
  }
  return true;
}
