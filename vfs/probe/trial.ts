// What the trials have in common: files of their own, watching for something to be seen, and going in both directions.

import type { Host, OpenMode } from '../host.ts';
import type { BothWays, Failure, Sight } from './evidence.ts';
import type { Ground } from './ground.ts';
import type { Steps } from './steps.ts';
import type { Talk } from './talk.ts';

const OPEN: OpenMode = { write: true, create: false, exclusive: false, noFollow: true, mode: 0o666 };
/** Both sides may run as different users; the folder around it decides who gets here. */
const EVERYBODY = 0o666;
const BETWEEN_LOOKS = 20;

export function failure(ground: Ground, call: string, result: number): Failure {
  return { outcome: 'failed', call, errno: ground.errno(result) };
}

/** A new file. Answers its descriptor, or -errno. */
export function createFile(host: Host, path: string): number {
  const fd = host.open(path, { ...OPEN, create: true, exclusive: true });
  if (fd >= 0) host.changeMode(fd, EVERYBODY);
  return fd;
}

export function openFile(host: Host, path: string): number {
  return host.open(path, OPEN);
}

/** Looks again and again until `look` answers true, or a failure. The first look comes at once. */
export function* watch(talk: Talk, limit: number, look: () => boolean | Failure): Steps<Sight> {
  const { host } = talk.ground;
  const start = host.monotonic();
  for (let looks = 0; ; looks++) {
    const answer = look();
    const afterMs = Math.round(host.monotonic() - start);
    if (typeof answer === 'object') return answer;
    if (answer) return { outcome: 'seen', atOnce: looks === 0, afterMs };
    if (afterMs >= limit) return { outcome: 'unseen', withinMs: limit };
    yield* talk.rest(BETWEEN_LOOKS);
  }
}

/** First the lead acts and the follower looks, then the other way round. Each `one` hears or tells the result by the talk. */
export function* bothWays<T>(talk: Talk, one: (acting: boolean) => Steps<T>): Steps<BothWays<T>> {
  const first = yield* one(talk.me === 'a');
  const second = yield* one(talk.me === 'b');
  return talk.me === 'a' ? { ours: first, theirs: second } : { ours: second, theirs: first };
}
