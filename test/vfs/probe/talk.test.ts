// The talk of two sides: partners that speak of something else, and partners that live but never answer.

import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Ground, ProbeEnd } from '../../../vfs/probe/ground.ts';
import type { Steps } from '../../../vfs/probe/steps.ts';
import { Talk } from '../../../vfs/probe/talk.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { Clock, SideHost } from './sides.ts';

function twoTalks(): { clock: Clock; folder: string; a: Talk; b: Talk } {
  const clock = new Clock();
  const folder = tempFolder();
  const talk = (me: 'a' | 'b') => new Talk(new Ground(new SideHost(clock), folder), folder, me);
  return { clock, folder, a: talk('a'), b: talk('b') };
}

/** Runs both, a step each in turn; answers what they came to, or what they threw. */
function together(clock: Clock, all: Array<Steps<unknown>>): unknown[] {
  const results = all.map((): unknown => undefined);
  const open = new Set(all.keys());
  for (let turn = 0; open.size > 0; turn++) {
    if (turn > 100_000) throw new Error('They do not come to an end');
    clock.now += 100;
    for (const index of [...open]) {
      try {
        const step = (all[index] as Steps<unknown>).next();
        if (!step.done) continue;
        results[index] = step.value;
      } catch (error) {
        results[index] = error;
      }
      open.delete(index);
    }
  }
  return results;
}

describe('a talk', () => {
  it('brings each the word of the other', () => {
    const { clock, a, b } = twoTalks();
    expect(together(clock, [a.trade('size', 'x-1'), b.trade('size', 'fuse.bindfs')])).toEqual(['fuse.bindfs', 'x-1']);
  });

  it('ends when the other side is at another step', () => {
    const { clock, a, b } = twoTalks();
    const [one, other] = together(clock, [a.trade('locks'), b.trade('bolts')]);
    expect(one).toMatchObject({ code: 'out-of-step', message: expect.stringContaining('bolts, not locks') });
    expect(other).toBeInstanceOf(ProbeEnd);
  });

  it('ends in bounded time with a partner that beats but never answers', () => {
    const { clock, a, b } = twoTalks();
    function* onlyBeats(): Steps<void> {
      while (clock.now < 200_000) yield* b.rest(0);
    }
    const [one] = together(clock, [a.trade('locks'), onlyBeats()]);
    expect(one).toMatchObject({ code: 'peer-silent', message: expect.stringContaining('alive') });
  });

  it('takes no word of an earlier step, and none that begins like another', () => {
    const { clock, folder, a, b } = twoTalks();
    fs.mkdirSync(`${folder}/b.10.locks.wrong`);
    expect(together(clock, [a.trade('names', 'one'), b.trade('names', 'two')])).toEqual(['two', 'one']);
    expect(together(clock, [a.trade('locks', 'three'), b.trade('locks', 'four')])).toEqual(['four', 'three']);
  });

  it('notices that its folder is gone', () => {
    const { clock, folder, a } = twoTalks();
    fs.rmSync(folder, { recursive: true });
    expect(together(clock, [a.trade('locks')])).toEqual([expect.objectContaining({ code: 'peer-left' })]);
  });
});
