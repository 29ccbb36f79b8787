// How two sides that know nothing of each other meet: by beats in the folder, an invitation, and a first word.

import { type Ground, ProbeEnd } from './ground.ts';
import type { Lookout, View } from './lookout.ts';
import { aloneName, beatName, pairName } from './names.ts';
import { removeFolder } from './removal.ts';
import type { Steps } from './steps.ts';
import { Talk } from './talk.ts';

export interface Meeting {
  ground: Ground;
  lookout: Lookout;
  /** Sides of the same meeting find each other. */
  name: string;
  /** Our own random name in it. */
  id: string;
  /** Milliseconds to wait for another side. */
  timeout: number;
}

export interface Met {
  talk: Talk;
  /** The other side's id. */
  partner: string;
  /** From our first look until the partner answered. */
  waitedMs: number;
}

/** Somebody waits at a terminal, and a listing of a large folder costs something. */
const BETWEEN_LOOKS = 100;
/** How long an invited side may take to say its first word; it has just shown that it lives. */
const ANSWER_LIMIT = 10_000;

/**
 * Waits until another side is there and answers. The one with the lower id is the lead: it makes the folder for the talk, whose
 * name is the invitation, and removes it in the end.
 */
export function* meet(meeting: Meeting): Steps<Met> {
  const { ground, lookout, name, timeout } = meeting;
  const start = ground.host.monotonic();
  const refused = new Set<string>();
  const presence = new Presence(meeting);
  try {
    for (;;) {
      presence.beat();
      const view = lookout.look();
      const found = yield* pairUp(meeting, view, refused, presence);
      if (found) return { ...found, waitedMs: ground.host.monotonic() - start };
      if (ground.host.monotonic() - start >= timeout) throw nobodyCame(timeout, name, view, refused);
      yield BETWEEN_LOOKS;
    }
  } finally {
    presence.end();
  }
}

function* pairUp(
  meeting: Meeting,
  view: View,
  refused: Set<string>,
  presence: Presence,
): Steps<Omit<Met, 'waitedMs'> | undefined> {
  const { ground, name, id } = meeting;
  const pairs = view.pairs.filter((pair) => pair.meeting === name);
  const invitation = pairs.find((pair) => pair.follower === id && !refused.has(pair.lead));
  if (invitation) {
    presence.end();
    const talk = new Talk(ground, ground.path(pairName(name, invitation.lead, id)), 'b');
    if (yield* firstWord(talk)) return { talk, partner: invitation.lead };
    // It chose somebody else in the meantime.
    refused.add(invitation.lead);
    return undefined;
  }
  const strangers = pairs.find((pair) => pair.alive && pair.lead !== id && pair.follower !== id);
  if (strangers) throw third(ground, pairName(name, strangers.lead, strangers.follower), id);
  const taken = new Set(pairs.flatMap((pair) => [pair.lead, pair.follower]));
  const partner = view.sides
    .filter((side) => side.meeting === name && side.alive && !refused.has(side.id) && !taken.has(side.id))
    .map((side) => side.id)
    .sort()[0];
  if (partner === undefined || partner < id) return undefined;
  const folder = ground.path(pairName(name, id, partner));
  makeShared(meeting, folder);
  presence.end();
  let answered = false;
  const talk = new Talk(ground, folder, 'a');
  try {
    answered = yield* firstWord(talk);
  } finally {
    if (!answered) yield* removeFolder(ground, folder);
  }
  if (answered) return { talk, partner };
  refused.add(partner);
  return undefined;
}

/** False if the other one has gone, or gone with somebody else. */
function* firstWord(talk: Talk): Steps<boolean> {
  try {
    yield* talk.trade('hello', 'ok', ANSWER_LIMIT);
    return true;
  } catch (error) {
    if (error instanceof ProbeEnd && (error.code === 'peer-silent' || error.code === 'peer-left')) return false;
    throw error;
  }
}

/**
 * Makes the folder for the talk, under a passing name until it is ready: its final name invites. Whoever may make names in the
 * probed folder may do so in this one, whatever our umask and user.
 */
function makeShared({ ground, name, id }: Meeting, folder: string): void {
  const { host } = ground;
  const passing = ground.path(aloneName(name, id));
  const made = host.makeDirectory(passing, 0o700);
  if (made < 0) throw ground.failed('Making a folder', made);
  shareAccess(ground, passing);
  const renamed = host.rename(passing, folder);
  if (renamed < 0) {
    host.removeDirectory(passing);
    throw ground.failed('Renaming a folder', renamed);
  }
}

function shareAccess({ host, directory }: Ground, folder: string): void {
  const parent = host.status(directory);
  const fd = host.open(folder, { write: false, create: false, exclusive: false, noFollow: true, mode: 0 });
  if (fd < 0) return;
  if (typeof parent !== 'number') {
    host.changeMode(fd, parent.mode | 0o700);
    if (host.effectiveUser === 0) host.changeOwner(fd, parent.uid, parent.gid);
  }
  host.close(fd);
}

function third(ground: Ground, pair: string, id: string): ProbeEnd {
  // So that the two can say that somebody came by.
  ground.host.makeDirectory(`${ground.path(pair)}/c.third-${id}`, 0o755);
  return new ProbeEnd(
    'third-side',
    'Two other sides are at it in this folder already: a third one cannot join. Run again when they have finished',
  );
}

function nobodyCame(timeout: number, meeting: string, view: View, refused: ReadonlySet<string>): ProbeEnd {
  const waited = `No other side came within ${timeout / 1000} s`;
  const stranger = view.sides.find((side) => side.alive && side.meeting !== meeting && side.meeting.startsWith('peer'));
  if (stranger) return new ProbeEnd('no-peer', `${waited}; a probe of another version of Holdfast is there`);
  if (refused.size > 0) return new ProbeEnd('no-peer', `${waited} and stayed; ${refused.size} came and went without a word`);
  return new ProbeEnd('no-peer', waited);
}

/** Our own beats in the folder. */
class Presence {
  readonly #meeting: Meeting;
  #number = 0;
  #current: string | undefined;

  constructor(meeting: Meeting) {
    this.#meeting = meeting;
  }

  beat(): void {
    const { ground, name, id } = this.#meeting;
    const before = this.#current;
    const next = ground.path(beatName(name, id, ++this.#number));
    const made = ground.host.makeDirectory(next, 0o755);
    if (made < 0) throw ground.failed('Making a name', made);
    this.#current = next;
    if (before !== undefined) ground.host.removeDirectory(before);
  }

  end(): void {
    if (this.#current !== undefined) this.#meeting.ground.host.removeDirectory(this.#current);
    this.#current = undefined;
  }
}
