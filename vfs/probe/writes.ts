// Trial: one side writes, the other reads: through a new descriptor, through one that was open before, and under locks.

import { RANGE } from '../host.ts';
import { SHARED_FIRST, SHARED_SIZE } from '../locks/lock-bytes.ts';
import type { BothWays, Failure, Sight, Writes } from './evidence.ts';
import type { Steps } from './steps.ts';
import type { Talk } from './talk.ts';
import { bothWays, createFile, failure, openFile, watch } from './trial.ts';
import { failureWord, readFailure, readSight, sightWord } from './words.ts';

/** One page, as SQLite writes it. */
const BYTES = 4096;
/** How long a change may stay unseen until we say so. Attribute caches mostly live for one second, of NFS for three and more. */
const LIMIT = 3000;

/** In the order in which they are tried: one that makes the kernel ask anew comes late. */
const CHANGES = ['kept', 'locked', 'grown', 'reopened'] as const;
type Change = (typeof CHANGES)[number];

export function* tryWrites(talk: Talk): Steps<BothWays<Writes>> {
  return yield* bothWays(talk, (acting) => (acting ? writeAll(talk) : readAll(talk)));
}

function* writeAll(talk: Talk): Steps<Writes> {
  const { host } = talk.ground;
  const fd = createFile(host, talk.path(`file.written-${talk.me}`));
  try {
    const made = fd < 0 ? failure(talk.ground, 'open', fd) : fill(talk, fd, 1, 0);
    yield* talk.trade('write-made', made ? failureWord(made) : 'ok');
    const writes: Partial<Writes> = { created: made ?? readSight(yield* talk.trade('write-found')) };
    if (made) yield* talk.trade('write-found');
    for (const [index, change] of CHANGES.entries()) {
      yield* talk.trade(`${change}-ready`);
      const broken = made ?? write(talk, fd, change, index + 2);
      yield* talk.trade(`${change}-done`, broken ? failureWord(broken) : 'ok');
      const word = yield* talk.trade(`${change}-saw`);
      writes[change] = broken ?? readSight(word);
    }
    return writes as Writes;
  } finally {
    if (fd >= 0) host.close(fd);
  }
}

function* readAll(talk: Talk): Steps<Writes> {
  const { host } = talk.ground;
  const path = talk.path(`file.written-${talk.me === 'a' ? 'b' : 'a'}`);
  let fd = -1;
  try {
    const unmade = readFailure(yield* talk.trade('write-made'));
    const created = unmade ?? (yield* watch(talk, LIMIT, () => look(talk, path, 1)));
    fd = openFile(host, path);
    const writes: Partial<Writes> = { created };
    yield* talk.trade('write-found', sightWord(created));
    for (const [index, change] of CHANGES.entries()) {
      // What it reads now is what its cache holds from then on.
      const before = fd < 0 ? failure(talk.ground, 'open', fd) : contains(talk, fd, 0);
      yield* talk.trade(`${change}-ready`);
      const unwritten = readFailure(yield* talk.trade(`${change}-done`));
      let sight: Sight;
      if (unwritten) sight = unwritten;
      else if (typeof before === 'object') sight = before;
      else sight = yield* watch(talk, LIMIT, () => seen(talk, fd, path, change, index + 2));
      writes[change] = sight;
      yield* talk.trade(`${change}-saw`, sightWord(sight));
    }
    return writes as Writes;
  } finally {
    if (fd >= 0) host.close(fd);
  }
}

/** The change as the writer makes it: under a lock where the reader looks under one. */
function write(talk: Talk, fd: number, change: Change, version: number): Failure | undefined {
  const { host } = talk.ground;
  const underLock = change === 'locked' || change === 'grown';
  if (underLock) {
    const locked = host.lock(fd, RANGE.WRITE, SHARED_FIRST, SHARED_SIZE);
    if (locked < 0) return failure(talk.ground, 'lock', locked);
  }
  const broken = fill(talk, fd, version, change === 'grown' ? BYTES : 0);
  if (underLock) host.lock(fd, RANGE.UNLOCK, SHARED_FIRST, SHARED_SIZE);
  return broken;
}

function seen(talk: Talk, fd: number, path: string, change: Change, version: number): boolean | Failure {
  const { host } = talk.ground;
  if (change === 'kept') return contains(talk, fd, version);
  if (change === 'reopened') return look(talk, path, version);
  const locked = host.lock(fd, RANGE.READ, SHARED_FIRST, SHARED_SIZE);
  if (locked < 0) return failure(talk.ground, 'lock', locked);
  const answer =
    change === 'grown' ? host.size(fd) >= 2 * BYTES && contains(talk, fd, version, BYTES) : contains(talk, fd, version);
  host.lock(fd, RANGE.UNLOCK, SHARED_FIRST, SHARED_SIZE);
  return answer;
}

function fill(talk: Talk, fd: number, version: number, position: number): Failure | undefined {
  const { host } = talk.ground;
  const written = host.write(fd, new Uint8Array(BYTES).fill(version), 0, BYTES, position);
  if (written < 0) return failure(talk.ground, 'write', written);
  const synced = host.sync(fd);
  return synced < 0 ? failure(talk.ground, 'fsync', synced) : undefined;
}

function contains(talk: Talk, fd: number, version: number, position = 0): boolean | Failure {
  const bytes = new Uint8Array(BYTES);
  const got = talk.ground.host.read(fd, bytes, 0, BYTES, position);
  if (got < 0) return failure(talk.ground, 'read', got);
  return got === BYTES && bytes.every((byte) => byte === version);
}

function look(talk: Talk, path: string, version: number): boolean | Failure {
  const fd = openFile(talk.ground.host, path);
  if (fd < 0) return talk.ground.is(fd, 'ENOENT') ? false : failure(talk.ground, 'open', fd);
  const answer = contains(talk, fd, version);
  talk.ground.host.close(fd);
  return answer;
}
