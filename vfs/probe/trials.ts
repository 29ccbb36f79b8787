// All trials of two sides, one after the other. What was found stays, whatever happens later.

import type { MappableMemory } from '../host.ts';
import type { Exchange, SideFacts } from './evidence.ts';
import { tryLocks } from './exclusion.ts';
import { tryMapping } from './mapped.ts';
import { raceFor } from './race.ts';
import { tryReplacement } from './replacement.ts';
import type { Steps } from './steps.ts';
import type { Talk } from './talk.ts';
import { tryWrites } from './writes.ts';

/** Rounds of names, of which the middle one counts. */
const ROUNDS = 5;

/** Fills in `found`, fact by fact. */
export function* runTrials(talk: Talk, us: SideFacts, memory: MappableMemory, found: Exchange): Steps<void> {
  found.us = us;
  found.them = yield* tradeFacts(talk, us);
  found.sameKernel = us.kernel === null || found.them.kernel === null ? null : us.kernel === found.them.kernel;
  found.nameMs = yield* measureNames(talk);
  found.exclusiveCreate = yield* raceFor(talk, 'file');
  found.makeDirectory = yield* raceFor(talk, 'folder');
  found.replacement = yield* tryReplacement(talk);
  found.locks = yield* tryLocks(talk);
  found.writes = yield* tryWrites(talk);
  Object.assign(found, yield* tryMapping(talk, memory));
}

function* tradeFacts(talk: Talk, us: SideFacts): Steps<SideFacts> {
  const fsType = yield* talk.trade('fs-type', us.fsType?.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 60) || 'none');
  const kernel = yield* talk.trade('kernel', us.kernel ?? 'none');
  return { fsType: fsType === 'none' ? null : fsType, kernel: kernel === 'none' ? null : kernel };
}

function* measureNames(talk: Talk): Steps<number> {
  const { host } = talk.ground;
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = host.monotonic();
    yield* talk.trade('names');
    rounds.push(host.monotonic() - start);
  }
  rounds.sort((a, b) => a - b);
  return Math.round((rounds[ROUNDS >> 1] as number) * 10) / 10;
}
