// Keeps an eye on the folder: which probes are at work in it, and which names are leftovers of killed ones.

import type { Ground } from './ground.ts';
import { aloneName, type ProbeName, parseName } from './names.ts';
import { removeFolder } from './removal.ts';
import type { Steps } from './steps.ts';

/** A side without a new name for so many milliseconds is dead: a live one makes several a second. */
export const SILENCE = 10_000;
const BETWEEN_LOOKS = 500;

/** What was seen of one side. */
interface Traces {
  /** Every name that it ever had, those inside of its pair's folder too. */
  readonly names: Set<string>;
  readonly firstLook: number;
  /** When a name was last seen that had not been there before, by our own clock. */
  news: number;
  /** A name came after the first look: leftovers do not do that. */
  moves: boolean;
}

export interface Side {
  meeting: string;
  id: string;
  alive: boolean;
}

export interface Pair {
  meeting: string;
  lead: string;
  follower: string;
  alive: boolean;
}

export interface View {
  /** Sides that look for a partner, ourselves left out. */
  sides: Side[];
  pairs: Pair[];
}

export class Lookout {
  readonly #ground: Ground;
  readonly #id: string;
  readonly #traces = new Map<string, Traces>();
  #present = new Map<string, ProbeName>();
  #looks = 0;

  constructor(ground: Ground, id: string) {
    this.#ground = ground;
    this.#id = id;
  }

  /**
   * Who is there now. The caller has made or removed a name in the folder since its last look, which keeps this kernel from
   * answering out of a cached listing.
   */
  look(): View {
    const listed = this.#ground.host.list(this.#ground.directory);
    if (typeof listed === 'number') throw this.#ground.failed('Listing the names', listed);
    this.#looks++;
    this.#present = new Map();
    for (const name of listed) {
      const parsed = parseName(name);
      if (parsed === undefined) continue;
      this.#present.set(name, parsed);
      for (const side of sidesOf(parsed)) this.#note(side, name);
      if (parsed.kind === 'pair') this.#lookInside(name, parsed);
    }
    const view: View = { sides: [], pairs: [] };
    for (const parsed of this.#present.values()) {
      const alive = sidesOf(parsed).some((side) => this.#isAlive(side));
      if (parsed.kind === 'pair') view.pairs.push({ ...parsed, alive });
      else if (parsed.kind === 'beat' && parsed.id !== this.#id) view.sides.push({ ...parsed, alive });
    }
    return view;
  }

  /**
   * Removes what killed probes left behind: it takes as long as it needs to be sure that they are dead, and no time where there
   * is nothing. Answers how many names were removed, and which could not be.
   */
  *clear(spared: readonly string[]): Steps<{ removed: number; kept: string[] }> {
    const done = new Set<string>();
    const kept: string[] = [];
    for (;;) {
      this.touch();
      this.look();
      let undecided = false;
      for (const [name, parsed] of this.#present) {
        const sides = sidesOf(parsed);
        if (done.has(name) || sides.some((side) => this.#isAlive(side) || [this.#id, ...spared].some((id) => side.endsWith(id))))
          continue;
        if (sides.some((side) => this.#silence(side) < SILENCE)) {
          undecided = true;
          continue;
        }
        done.add(name);
        if ((yield* removeFolder(this.#ground, this.#ground.path(name))) < 0) kept.push(name);
      }
      if (!undecided) return { removed: done.size - kept.length, kept };
      yield BETWEEN_LOOKS;
    }
  }

  #lookInside(name: string, { lead, follower, meeting }: ProbeName & { kind: 'pair' }): void {
    if (lead === this.#id || follower === this.#id) return;
    const { host } = this.#ground;
    const path = this.#ground.path(name);
    const touch = `${path}/c.look-${this.#id}-${this.#looks}`;
    if (host.makeDirectory(touch, 0o700) >= 0) host.removeDirectory(touch);
    const names = host.list(path);
    if (typeof names === 'number') return;
    for (const inner of names) {
      if (inner.startsWith('a.')) this.#note(`${meeting}-${lead}`, `${name}/${inner}`);
      if (inner.startsWith('b.')) this.#note(`${meeting}-${follower}`, `${name}/${inner}`);
    }
  }

  #note(side: string, name: string): void {
    const now = this.#ground.host.monotonic();
    const traces = this.#traces.get(side);
    if (traces === undefined) this.#traces.set(side, { names: new Set([name]), firstLook: this.#looks, news: now, moves: false });
    else if (!traces.names.has(name)) {
      traces.names.add(name);
      traces.news = now;
      traces.moves ||= traces.firstLook < this.#looks;
    }
  }

  #silence(side: string): number {
    return this.#ground.host.monotonic() - (this.#traces.get(side)?.news ?? 0);
  }

  #isAlive(side: string): boolean {
    return this.#traces.get(side)?.moves === true && this.#silence(side) < SILENCE;
  }

  /** Makes a name and removes it, for who has nothing else to make before a look. */
  touch(): void {
    const path = this.#ground.path(aloneName(this.#id, this.#id));
    if (this.#ground.host.makeDirectory(path, 0o700) >= 0) this.#ground.host.removeDirectory(path);
  }
}

/** By meeting and id. */
function sidesOf(parsed: ProbeName): string[] {
  const ids = parsed.kind === 'pair' ? [parsed.lead, parsed.follower] : [parsed.id];
  return ids.map((id) => `${parsed.meeting}-${id}`);
}
