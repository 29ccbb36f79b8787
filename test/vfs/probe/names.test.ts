// The names and words by which two sides talk: both must read what the other wrote, and nothing else may be taken for one.

import { describe, expect, it } from 'vitest';
import type { Sight } from '../../../vfs/probe/evidence.ts';
import { aloneName, beatName, OPEN_MEETING, pairName, parseName } from '../../../vfs/probe/names.ts';
import { failureWord, readFailure, readSight, sightWord } from '../../../vfs/probe/words.ts';

const ONE = '0123456789ab';
const TWO = 'ba9876543210';

describe('names in the folder', () => {
  it.each([
    [beatName(OPEN_MEETING, ONE, 17), { meeting: OPEN_MEETING, kind: 'beat', id: ONE }],
    [aloneName(TWO, ONE), { meeting: TWO, kind: 'alone', id: ONE }],
    [pairName(OPEN_MEETING, ONE, TWO), { meeting: OPEN_MEETING, kind: 'pair', lead: ONE, follower: TWO }],
  ])('%s is read back', (name, parsed) => {
    expect(parseName(name)).toEqual(parsed);
    // As short as every file system takes it, without what Windows and CIFS do not take.
    expect(name).toMatch(/^\.[a-z0-9.-]{1,99}$/);
    expect(name).not.toMatch(/\.$/);
  });

  it.each([
    'app.db',
    '.holdfast-probe-',
    `.holdfast-probe-peer1-${ONE}`,
    `.holdfast-probe-peer1-${ONE}.beat-`,
    `.holdfast-probe-peer1-${ONE}.with-${TWO}0`,
    `.holdfast-probe-peer1-${ONE}.with-${TWO}\n`,
    `x.holdfast-probe-peer1-${ONE}.alone`,
    `.holdfast-probe-peer1-${ONE.toUpperCase()}.alone`,
    `.holdfast-probe-my-notes`,
  ])('%j is nobody’s', (name) => {
    expect(parseName(name)).toBeUndefined();
  });
});

describe('words', () => {
  it.each<Sight>([
    { outcome: 'seen', atOnce: true, afterMs: 0 },
    { outcome: 'seen', atOnce: false, afterMs: 1234 },
    { outcome: 'unseen', withinMs: 3000 },
    { outcome: 'failed', call: 'mmap', errno: 'ENODEV' },
    { outcome: 'failed', call: 'read', errno: 'errno 121' },
  ])('carry %j', (sight) => {
    expect(sightWord(sight)).toMatch(/^[a-z0-9-]+$/);
    expect(readSight(sightWord(sight))).toEqual(sight);
  });

  it('tell a failure from an answer', () => {
    expect(readFailure(failureWord({ outcome: 'failed', call: 'lock', errno: 'ENOLCK' }))).toEqual({
      outcome: 'failed',
      call: 'lock',
      errno: 'ENOLCK',
    });
    for (const word of ['ok', 'excludes', 'o-5', 'ef12', '30']) expect(readFailure(word)).toBeUndefined();
  });
});
