// Trial: one side replaces a file by renaming over it, again and again; the other must always find one whole version.

import type { BothWays, Failure, Replacement } from './evidence.ts';
import type { Steps } from './steps.ts';
import type { Talk } from './talk.ts';
import { bothWays, createFile, failure, openFile, watch } from './trial.ts';
import { failureWord, readFailure, readSight, sightWord } from './words.ts';

/** Looks of the reader. The writer goes on as long as the reader looks, whichever of them is slower. */
const READS = 30;
/** A version is one byte, and the reader may have stopped looking. */
const MOST_VERSIONS = 200;
const BYTES = 4096;
const BETWEEN_VERSIONS = 2;
/** For the last version to be seen. */
const LIMIT = 3000;

/** What one look found: the number of a whole version, no file at all, or bytes of two versions. */
type Found = number | 'missing' | 'torn' | Failure;

export function* tryReplacement(talk: Talk): Steps<BothWays<Replacement>> {
  return yield* bothWays(talk, (acting) => (acting ? replaceAlong(talk) : readAlong(talk)));
}

function* replaceAlong(talk: Talk): Steps<Replacement> {
  const path = talk.path(`file.replaced-${talk.me}`);
  let broken = writeVersion(talk, path, 0);
  yield* talk.trade('replace-made', broken ? failureWord(broken) : 'ok');
  let version = 0;
  while (!broken && version < MOST_VERSIONS && !talk.isAwaited()) {
    broken = replace(talk, path, ++version);
    yield* talk.rest(BETWEEN_VERSIONS);
  }
  yield* talk.trade('replace-done', broken ? failureWord(broken) : String(version));
  const word = yield* talk.trade('replace-saw');
  return broken ?? read(word);
}

function* readAlong(talk: Talk): Steps<Replacement> {
  const path = talk.path(`file.replaced-${talk.me === 'a' ? 'b' : 'a'}`);
  let failed = readFailure(yield* talk.trade('replace-made'));
  const counts = { reads: 0, missing: 0, torn: 0 };
  while (!failed && counts.reads < READS) {
    const found = look(talk, path);
    if (typeof found === 'object') failed = found;
    else counts.reads++;
    if (found === 'missing') counts.missing++;
    if (found === 'torn') counts.torn++;
    yield* talk.rest(BETWEEN_VERSIONS);
  }
  const word = yield* talk.trade('replace-done');
  failed ??= readFailure(word);
  let result: Replacement;
  if (failed) result = failed;
  else if (counts.missing + counts.torn > 0) result = { outcome: 'torn', ...counts };
  else {
    const last = yield* watch(talk, LIMIT, () => look(talk, path) === Number(word));
    result = { outcome: 'atomic', reads: counts.reads, last };
  }
  yield* talk.trade('replace-saw', write(result));
  return result;
}

function writeVersion({ ground }: Talk, path: string, version: number): Failure | undefined {
  const fd = createFile(ground.host, path);
  if (fd < 0) return failure(ground, 'open', fd);
  const written = ground.host.write(fd, new Uint8Array(BYTES).fill(version), 0, BYTES, 0);
  ground.host.close(fd);
  return written < 0 ? failure(ground, 'write', written) : undefined;
}

function replace(talk: Talk, path: string, version: number): Failure | undefined {
  const passing = `${path}-new`;
  const unwritten = writeVersion(talk, passing, version);
  if (unwritten) return unwritten;
  const renamed = talk.ground.host.rename(passing, path);
  return renamed < 0 ? failure(talk.ground, 'rename', renamed) : undefined;
}

function look({ ground }: Talk, path: string): Found {
  const fd = openFile(ground.host, path);
  if (fd < 0) return ground.is(fd, 'ENOENT') || ground.is(fd, 'ESTALE') ? 'missing' : failure(ground, 'open', fd);
  const bytes = new Uint8Array(BYTES);
  const got = ground.host.read(fd, bytes, 0, BYTES, 0);
  ground.host.close(fd);
  if (got < 0) return ground.is(got, 'ESTALE') ? 'missing' : failure(ground, 'read', got);
  const version = bytes[0] as number;
  return got === BYTES && bytes.every((byte) => byte === version) ? version : 'torn';
}

function write(result: Replacement): string {
  if (result.outcome === 'failed') return failureWord(result);
  if (result.outcome === 'torn') return `torn-${result.reads}-${result.missing}-${result.torn}`;
  return `atomic-${result.reads}-${sightWord(result.last)}`;
}

function read(word: string): Replacement {
  const failed = readFailure(word);
  if (failed) return failed;
  const [kind, ...rest] = word.split('-');
  const [reads = 0, missing = 0, torn = 0] = rest.map(Number);
  if (kind === 'torn') return { outcome: 'torn', reads, missing, torn };
  return { outcome: 'atomic', reads, last: readSight(rest.slice(1).join('-')) };
}
