// Trial: one side holds a lock, the other asks for it, on the bytes that SQLite locks.

import { type Host, RANGE, type RangeLock } from '../host.ts';
import { isConflict } from '../locks/byte-ranges.ts';
import { RESERVED_BYTE } from '../locks/lock-bytes.ts';
import type { BothWays, Exclusion, Failure } from './evidence.ts';
import type { Ground } from './ground.ts';
import type { Steps } from './steps.ts';
import type { Talk } from './talk.ts';
import { bothWays, createFile, failure, openFile, watch } from './trial.ts';
import { failureWord, readFailure } from './words.ts';

/** For a lock that was dropped to be free on the other side. */
const LIMIT = 2000;

/** What may be wrong although a writer kept a writer out, in the order of weight; the words travel. */
const FLAWS = {
  'writer-let-readers-in': 'a write lock did not keep readers out',
  'reader-let-writers-in': 'a read lock did not keep writers out',
  'readers-kept-out': 'a read lock kept readers out',
  'not-shown': 'a lock that excludes is not shown to those who ask for its holder',
  'not-freed': 'a lock stayed in the way after it had been dropped',
} as const;
type Flaw = keyof typeof FLAWS;

/** What the asker met while the holder had a write lock, a read lock, and none. */
type Tried = 'granted' | 'refused' | Failure;

export function* tryLocks(talk: Talk): Steps<BothWays<Exclusion>> {
  const { host } = talk.ground;
  const path = talk.path('file.locked');
  let fd = talk.me === 'a' ? createFile(host, path) : -1;
  try {
    const word = yield* talk.trade('lock-made', talk.me === 'a' && fd < 0 ? failureWord(failure(talk.ground, 'open', fd)) : 'ok');
    const unmade = readFailure(word) ?? (talk.me === 'a' && fd < 0 ? failure(talk.ground, 'open', fd) : undefined);
    if (unmade) return { ours: unmade, theirs: unmade };
    if (talk.me === 'b') fd = openFile(host, path);
    const mine = fd < 0 ? failure(talk.ground, 'open', fd) : undefined;
    const unopened = readFailure(yield* talk.trade('lock-open', mine ? failureWord(mine) : 'ok')) ?? mine;
    if (unopened) return { ours: unopened, theirs: unopened };
    return yield* bothWays(talk, (acting) => (acting ? hold(talk, fd) : ask(talk, fd)));
  } finally {
    // Closing the last descriptor of an open file description drops its locks.
    if (fd >= 0) host.close(fd);
  }
}

function* hold(talk: Talk, fd: number): Steps<Exclusion> {
  const { host } = talk.ground;
  let broken: Failure | undefined;
  for (const kind of [RANGE.WRITE, RANGE.READ, RANGE.UNLOCK]) {
    const result = host.lock(fd, kind, RESERVED_BYTE, 1);
    if (result < 0) broken ??= failure(talk.ground, 'lock', result);
    yield* talk.trade(`lock-${kind}`, broken ? failureWord(broken) : 'ok');
    yield* talk.trade(`lock-${kind}-tried`);
  }
  const word = yield* talk.trade('lock-saw');
  return broken ?? read(word);
}

function* ask(talk: Talk, fd: number): Steps<Exclusion> {
  const { host } = talk.ground;
  let failed: Failure | undefined;
  const note = <T extends Tried | boolean>(answer: T): T => {
    if (typeof answer === 'object') failed ??= answer;
    return answer;
  };
  const flaws: Flaw[] = [];
  let ignored = false;

  failed = readFailure(yield* talk.trade(`lock-${RANGE.WRITE}`));
  if (!failed) {
    const shown = note(isShown(talk.ground, fd));
    ignored = note(attempt(talk.ground, fd, RANGE.WRITE)) === 'granted';
    if (note(attempt(talk.ground, fd, RANGE.READ)) === 'granted') flaws.push('writer-let-readers-in');
    if (shown === false) flaws.push('not-shown');
  }
  yield* talk.trade(`lock-${RANGE.WRITE}-tried`);

  failed = readFailure(yield* talk.trade(`lock-${RANGE.READ}`)) ?? failed;
  if (!failed) {
    if (note(attempt(talk.ground, fd, RANGE.WRITE)) === 'granted') flaws.push('reader-let-writers-in');
    if (note(attempt(talk.ground, fd, RANGE.READ)) === 'refused') flaws.push('readers-kept-out');
  }
  yield* talk.trade(`lock-${RANGE.READ}-tried`);

  failed = readFailure(yield* talk.trade(`lock-${RANGE.UNLOCK}`)) ?? failed;
  if (!failed) {
    const free = yield* watch(talk, LIMIT, () => attempt(talk.ground, fd, RANGE.WRITE) === 'granted');
    if (free.outcome === 'unseen') flaws.push('not-freed');
  }
  host.lock(fd, RANGE.UNLOCK, RESERVED_BYTE, 1);
  yield* talk.trade(`lock-${RANGE.UNLOCK}-tried`);

  const word = failed ? failureWord(failed) : ignored ? 'ignored' : (byWeight(flaws) ?? 'excludes');
  yield* talk.trade('lock-saw', word);
  return read(word);
}

/** Takes the lock and drops it, if it is granted. */
function attempt(ground: Ground, fd: number, kind: RangeLock): Tried {
  const result = ground.host.lock(fd, kind, RESERVED_BYTE, 1);
  if (result >= 0) return drop(ground.host, fd);
  return isConflict(result, ground.errnos) ? 'refused' : failure(ground, 'lock', result);
}

function drop(host: Host, fd: number): 'granted' {
  host.lock(fd, RANGE.UNLOCK, RESERVED_BYTE, 1);
  return 'granted';
}

function isShown(ground: Ground, fd: number): boolean | Failure {
  const held = ground.host.heldBy(fd, RANGE.WRITE, RESERVED_BYTE, 1);
  return typeof held === 'number' ? failure(ground, 'getlock', held) : held !== undefined;
}

function byWeight(flaws: readonly Flaw[]): Flaw | undefined {
  return (Object.keys(FLAWS) as Flaw[]).find((flaw) => flaws.includes(flaw));
}

function read(word: string): Exclusion {
  const failed = readFailure(word);
  if (failed) return failed;
  if (word === 'excludes' || word === 'ignored') return { outcome: word };
  return { outcome: 'flawed', flaw: FLAWS[word as Flaw] ?? word };
}
