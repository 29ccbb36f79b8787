// The talk of two sides: messages as names in one folder, a step at a time, and how a partner that is gone is noticed.
//
// A message is an empty folder whose name says who speaks, the step, what it is about, and the answer: `a.7.lock-held.ok`.
// It is found by listing only. Every look first makes a new beat and removes the one before: that drops a cached listing in
// this kernel, and shows the partner that we live. No clock is compared with the other side's.

import { type Ground, ProbeEnd } from './ground.ts';
import { removeFolder } from './removal.ts';
import type { Steps } from './steps.ts';

export type Voice = 'a' | 'b';

/** Milliseconds of listening without any new name of the partner, after which it counts as dead. */
export const PARTNER_SILENCE = 15_000;
/** Milliseconds for one step of a partner that beats but never answers: one that is stopped in between, or hopelessly slow. */
const STEP_LIMIT = 90_000;
/** Rests between two looks, growing: local partners answer in a millisecond, guests in tens. */
const FIRST_REST = 2;
const LONGEST_REST = 50;
/** A beat while something else is waited for. */
const BEAT_EVERY = 300;
/** How long the lead waits for the follower's last word before it removes the folder. */
const BYE_LIMIT = 5_000;
/** How long the follower waits for the lead to remove the folder; it may be watching for something, for 3 s at most. */
const LEAD_LIMIT = 5_000;

export class Talk {
  readonly ground: Ground;
  readonly me: Voice;
  /** Other probes that came by while we talked. */
  readonly visitors = new Set<string>();
  readonly #folder: string;
  readonly #partner: Voice;
  readonly #known = new Set<string>();
  #step = 0;
  #beats = 0;
  #lastBeat = Number.NEGATIVE_INFINITY;

  constructor(ground: Ground, folder: string, me: Voice) {
    this.ground = ground;
    this.me = me;
    this.#folder = folder;
    this.#partner = me === 'a' ? 'b' : 'a';
  }

  /** A path for a file of the trials. */
  path(name: string): string {
    return `${this.#folder}/${name}`;
  }

  /** Tells the partner `value` and hears its own for the same step: a barrier that both pass together. */
  *trade(label: string, value = 'ok', silence = PARTNER_SILENCE): Steps<string> {
    const { host } = this.ground;
    const step = this.#step++;
    this.#post(`${this.me}.${step}.${label}.${value}`);
    const start = host.monotonic();
    let news = start;
    for (let rest = FIRST_REST; ; rest = Math.min(rest * 2, LONGEST_REST)) {
      const { heard, fresh } = this.#look(step);
      if (heard !== undefined) return this.#read(heard, label);
      const now = host.monotonic();
      if (fresh) news = now;
      if (now - news > silence)
        throw new ProbeEnd('peer-silent', `The other side fell silent: nothing came from it for ${seconds(silence)} s`);
      if (now - start > STEP_LIMIT)
        throw new ProbeEnd('peer-silent', `The other side is alive, but gave no answer for ${seconds(STEP_LIMIT)} s`);
      yield rest;
    }
  }

  /** Whether the partner has said already what we shall hear at the next step. Does not wait. */
  isAwaited(): boolean {
    return this.#look(this.#step).heard !== undefined;
  }

  /** Rests, and beats if it is time. */
  *rest(milliseconds: number): Steps<void> {
    if (this.ground.host.monotonic() - this.#lastBeat > BEAT_EVERY) this.#beat();
    yield milliseconds;
  }

  /** The end of a talk that went well. The lead's answer is what could not be removed: 0 or -errno. */
  *end(): Steps<number> {
    yield* this.trade('end');
    if (this.me === 'b') {
      this.#post('b.bye');
      return 0;
    }
    const { host } = this.ground;
    for (const start = host.monotonic(); host.monotonic() - start < BYE_LIMIT; yield FIRST_REST) {
      this.#beat();
      const names = host.list(this.#folder);
      if (typeof names === 'number' || names.includes('b.bye')) break;
    }
    return yield* removeFolder(this.ground, this.#folder);
  }

  /** The end of one that did not: tells the partner, and sees to it that everything is removed. */
  *abandon(reason: unknown): Steps<void> {
    const { host } = this.ground;
    const word = `${this.me}.leave`;
    host.makeDirectory(this.path(word), 0o755);
    const partnerIsDead = reason instanceof ProbeEnd && reason.code === 'peer-silent';
    if (this.me === 'b' && !partnerIsDead) {
      // The lead removes its folder when it hears of this. It may be dead as well.
      for (const start = host.monotonic(); host.monotonic() - start < LEAD_LIMIT; yield LONGEST_REST) {
        const names = host.list(this.#folder);
        if (typeof names === 'number' || !names.includes(word)) return;
      }
    }
    yield* removeFolder(this.ground, this.#folder);
  }

  #look(step: number): { heard: string | undefined; fresh: boolean } {
    this.#beat();
    const names = this.ground.host.list(this.#folder);
    if (typeof names === 'number') throw this.#gone(names);
    let fresh = false;
    for (const name of names) {
      if (name.startsWith('c.third-')) this.visitors.add(name);
      if (!name.startsWith(`${this.#partner}.`) || this.#known.has(name)) continue;
      this.#known.add(name);
      fresh = true;
    }
    const heard = names.find((name) => name.startsWith(`${this.#partner}.${step}.`));
    if (heard === undefined && names.includes(`${this.#partner}.leave`))
      throw new ProbeEnd('peer-left', 'The other side was stopped before the trials were finished');
    return { heard, fresh };
  }

  #read(name: string, label: string): string {
    const [, , about, ...value] = name.split('.');
    if (about !== label)
      throw new ProbeEnd(
        'out-of-step',
        `The other side is at another step (${about}, not ${label}): another version of Holdfast?`,
      );
    return value.join('.');
  }

  #beat(): void {
    const number = ++this.#beats;
    this.#post(`${this.me}.beat.${number}`);
    this.#lastBeat = this.ground.host.monotonic();
    if (number > 1) this.ground.host.removeDirectory(this.path(`${this.me}.beat.${number - 1}`));
  }

  #post(name: string): void {
    const made = this.ground.host.makeDirectory(this.path(name), 0o755);
    if (made < 0) throw this.#gone(made);
  }

  #gone(result: number): ProbeEnd {
    if (this.ground.is(result, 'ENOENT') || this.ground.is(result, 'ESTALE'))
      return new ProbeEnd(
        'peer-left',
        'The other side was stopped before the trials were finished, and the folder of the trials is gone',
      );
    if (this.me === 'b' && (this.ground.is(result, 'EACCES') || this.ground.is(result, 'EPERM')))
      return new ProbeEnd(
        'folder-failed',
        `This user may not write to the folder ${this.#folder} that the other side made; run both sides as the same user, or both as root`,
      );
    return this.ground.failed('Making a name', result);
  }
}

function seconds(milliseconds: number): number {
  return Math.round(milliseconds / 1000);
}
