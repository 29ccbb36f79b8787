// How facts travel in a name: short words of letters, digits and dashes, and back.

import type { Failure, Sight } from './evidence.ts';

/** `e-lock-enolck`; the errno may be a number that has no name here. */
export function failureWord({ call, errno }: Failure): string {
  return `e-${call}-${errno.toLowerCase().replace(' ', '-')}`;
}

export function readFailure(word: string): Failure | undefined {
  const match = /^e-([a-z]+)-(.+)$/.exec(word);
  if (!match) return undefined;
  const [, call, errno] = match as unknown as [string, string, string];
  return { outcome: 'failed', call, errno: errno.startsWith('errno-') ? errno.replace('-', ' ') : errno.toUpperCase() };
}

export function sightWord(sight: Sight): string {
  if (sight.outcome === 'failed') return failureWord(sight);
  if (sight.outcome === 'unseen') return `n-${sight.withinMs}`;
  return `${sight.atOnce ? 'o' : 's'}-${sight.afterMs}`;
}

export function readSight(word: string): Sight {
  const failure = readFailure(word);
  if (failure) return failure;
  const ms = Number(word.slice(2));
  return word.startsWith('n')
    ? { outcome: 'unseen', withinMs: ms }
    : { outcome: 'seen', atOnce: word.startsWith('o'), afterMs: ms };
}
