// Trial: both sides make the same names at the same time. Nobody may win what the other has won.

import type { Failure, Race } from './evidence.ts';
import type { Steps } from './steps.ts';
import type { Talk } from './talk.ts';
import { createFile, failure } from './trial.ts';
import { failureWord, readFailure } from './words.ts';

/** One goes up and one goes down: each name is tried twice, and in the middle at the same moment. */
const NAMES = 40;

export function* raceFor(talk: Talk, what: 'file' | 'folder'): Steps<Race> {
  yield* talk.trade(`${what}-ready`);
  const first = yield* run(talk, what);
  const firstWord = yield* talk.trade(`${what}-won`, typeof first === 'object' ? failureWord(first) : first.toString(16));
  // One side may have been so much faster that nobody met a name of the other. Now all are there: none may be won again.
  const again = typeof first === 'object' ? first : yield* run(talk, what);
  const againWord = yield* talk.trade(`${what}-again`, typeof again === 'object' ? failureWord(again) : again.toString(16));
  if (typeof first === 'object') return first;
  if (typeof again === 'object') return again;
  const failed = readFailure(firstWord) ?? readFailure(againWord);
  if (failed) return failed;
  const ours = bitsOf(first);
  const theirs = bitsOf(Number.parseInt(firstWord, 16));
  const twice = bitsOf(again).map((won, index) => won || bitsOf(Number.parseInt(againWord, 16))[index]);
  const twoWinners = ours.filter((won, index) => twice[index] || (won && theirs[index])).length;
  const noWinner = ours.filter((won, index) => !won && !theirs[index]).length;
  if (twoWinners > 0 || noWinner > 0) return { outcome: 'broken', names: NAMES, twoWinners, noWinner };
  return { outcome: 'exclusive', names: NAMES, ours: ours.filter(Boolean).length, theirs: theirs.filter(Boolean).length };
}

/** The names won, as the bits of a number (2^40 is exact), or why making one failed. */
function* run(talk: Talk, what: 'file' | 'folder'): Steps<number | Failure> {
  const { ground } = talk;
  let won = 0;
  for (let turn = 0; turn < NAMES; turn++) {
    const index = talk.me === 'a' ? turn : NAMES - 1 - turn;
    const path = talk.path(`race.${what}-${index}`);
    const made = what === 'file' ? createFile(ground.host, path) : ground.host.makeDirectory(path, 0o755);
    if (made >= 0) won += 2 ** index;
    else if (!ground.is(made, 'EEXIST')) return failure(ground, what === 'file' ? 'open' : 'mkdir', made);
    if (made >= 0 && what === 'file') ground.host.close(made);
    yield* talk.rest(0);
  }
  return won;
}

function bitsOf(number: number): boolean[] {
  return Array.from({ length: NAMES }, (_, index) => Math.floor(number / 2 ** index) % 2 === 1);
}
