// Trial: both sides map one file, one stores into its memory, and the other looks into its own.

import type { MappableMemory } from '../host.ts';
import type { BothWays, Exchange, Failure, Sight } from './evidence.ts';
import type { Steps } from './steps.ts';
import type { Talk } from './talk.ts';
import { bothWays, createFile, failure, openFile, watch } from './trial.ts';
import { failureWord, readFailure, readSight, sightWord } from './words.ts';

/** Two regions of a wal-index, and a whole number of memory pages on every system. */
export const MAPPED_BYTES = 65536;
/** Coherent memory shows a store in nanoseconds; where a store goes by way of write-back, it takes seconds or for ever. */
const LIMIT = 2000;
/** Two words of one page, one for each direction, as readers and writers share the first page of a wal-index. */
const WORDS = { a: 0, b: 512 } as const;
const STORED = 0x5ea1ed;

export function* tryMapping(talk: Talk, memory: MappableMemory): Steps<Pick<Exchange, 'mapping' | 'memory'>> {
  const { host } = talk.ground;
  const path = talk.path('file.mapped');
  let fd = talk.me === 'a' ? createFile(host, path) : -1;
  const at = memory.allocate(host.pageSize, MAPPED_BYTES);
  let mapped = false;
  try {
    // Written, and not only made long: a hole on a full disk is a SIGBUS for whoever touches it.
    const unmade = talk.me === 'a' ? fill(talk, fd) : undefined;
    const made = yield* talk.trade('map-made', unmade ? failureWord(unmade) : 'ok');
    if (talk.me === 'b') fd = openFile(host, path);
    const broken = unmade ?? readFailure(made) ?? map(talk, fd, memory, at);
    mapped = broken === undefined;
    const theirs = readFailure(yield* talk.trade('map-mapped', broken ? failureWord(broken) : 'ok'));
    const mapping = { ours: broken ?? MAPPED, theirs: theirs ?? MAPPED };
    if (broken || theirs) return { mapping };
    return { mapping, memory: yield* storeBothWays(talk, new Int32Array(memory.u8.buffer, at, MAPPED_BYTES / 4)) };
  } finally {
    // A block that could not be unmapped is not given out again.
    if (!mapped || host.unmap(memory, at, MAPPED_BYTES) >= 0) memory.release(at);
    if (fd >= 0) host.close(fd);
  }
}

const MAPPED = { outcome: 'mapped' } as const;

function* storeBothWays(talk: Talk, words: Int32Array): Steps<BothWays<Sight>> {
  return yield* bothWays(talk, (acting) => (acting ? store(talk, words) : observe(talk, words)));
}

function* store(talk: Talk, words: Int32Array): Steps<Sight> {
  yield* talk.trade('store-ready');
  Atomics.store(words, WORDS[talk.me], STORED);
  yield* talk.trade('store-done');
  return readSight(yield* talk.trade('store-saw'));
}

function* observe(talk: Talk, words: Int32Array): Steps<Sight> {
  const word = WORDS[talk.me === 'a' ? 'b' : 'a'];
  // The page has to be in our memory before it is changed.
  const before = Atomics.load(words, word);
  yield* talk.trade('store-ready');
  yield* talk.trade('store-done');
  const sight: Sight =
    before === 0
      ? yield* watch(talk, LIMIT, () => Atomics.load(words, word) === STORED)
      : { outcome: 'failed', call: 'mmap', errno: 'EIO' };
  yield* talk.trade('store-saw', sightWord(sight));
  return sight;
}

function fill({ ground }: Talk, fd: number): Failure | undefined {
  if (fd < 0) return failure(ground, 'open', fd);
  const written = ground.host.write(fd, new Uint8Array(MAPPED_BYTES), 0, MAPPED_BYTES, 0);
  if (written < 0) return failure(ground, 'write', written);
  const synced = ground.host.sync(fd);
  return synced < 0 ? failure(ground, 'fsync', synced) : undefined;
}

function map({ ground }: Talk, fd: number, memory: MappableMemory, at: number): Failure | undefined {
  if (fd < 0) return failure(ground, 'open', fd);
  if (!ground.host.canMap) return { outcome: 'failed', call: 'mmap', errno: 'ENOSYS' };
  if (at === 0) return { outcome: 'failed', call: 'mmap', errno: 'ENOMEM' };
  // Less than the file's length would be a SIGBUS.
  const size = ground.host.size(fd);
  if (size < MAPPED_BYTES) return { outcome: 'failed', call: 'fstat', errno: size < 0 ? ground.errno(size) : 'EIO' };
  const mapped = ground.host.map(fd, 0, MAPPED_BYTES, memory, at, true);
  return mapped < 0 ? failure(ground, 'mmap', mapped) : undefined;
}
