// A probe of one folder from its beginning to its end: alone, then with another side; and the folder left as it was.

import type { Host, MappableMemory } from '../host.ts';
import type { Classification } from '../mount/classification.ts';
import { tryAlone } from './alone.ts';
import type { Alone, Exchange, SideFacts } from './evidence.ts';
import { type EndCode, Ground, ProbeEnd } from './ground.ts';
import { Lookout } from './lookout.ts';
import { type Met, meet } from './meeting.ts';
import { OPEN_MEETING } from './names.ts';
import type { Steps } from './steps.ts';
import { runTrials } from './trials.ts';

export interface ProbeOrder {
  host: Host;
  memory: MappableMemory;
  /** What the folder stands on; `resolved` is the folder that is probed. */
  mount: Classification;
  /** Sides of one meeting find each other: a random id for two processes of one probe, none for whoever comes. */
  meeting?: string;
  /** Milliseconds to wait for another side. */
  timeout: number;
  /** Not the second process of one probe: it also tries what one process can try by itself, and clears up after others. */
  first: boolean;
}

/** Everything that was found out, and how it ended if it did before its time. */
export interface Found {
  alone?: Alone;
  exchange?: Exchange;
  ended?: { code: EndCode; message: string };
  /** Other probes that came by and were sent away. */
  visitors: number;
  /** Names of killed probes that were removed. */
  leftoversRemoved: number;
  /** Names of probes that could not be removed. */
  leftoversKept: string[];
}

export function* probe(order: ProbeOrder): Steps<Found> {
  const ground = new Ground(order.host, order.mount.resolved);
  const id = ground.newId();
  const meeting = order.meeting ?? OPEN_MEETING;
  const lookout = new Lookout(ground, id);
  const found: Found = { visitors: 0, leftoversRemoved: 0, leftoversKept: [] };
  let partner: string | undefined;
  try {
    // First of all, so that what lies there from before is noticed as early as possible.
    lookout.touch();
    lookout.look();
    if (order.first) found.alone = yield* tryAlone(ground, meeting, id);
    const met = yield* meet({ ground, lookout, name: meeting, id, timeout: order.timeout });
    partner = met.partner;
    yield* talkItOver(met, order, found);
  } catch (error) {
    if (!(error instanceof ProbeEnd)) throw error;
    found.ended = { code: error.code, message: error.message };
  }
  if (order.first && found.ended?.code !== 'folder-failed') yield* clear(lookout, partner, found);
  return found;
}

function* talkItOver(met: Met, order: ProbeOrder, found: Found): Steps<void> {
  const { talk } = met;
  found.exchange = { waitedMs: Math.round(met.waitedMs) };
  // Stands for being interrupted, which no catch sees.
  let reason: unknown = 'interrupted';
  try {
    yield* runTrials(talk, factsOf(order), order.memory, found.exchange);
    const left = yield* talk.end();
    if (left < 0) found.leftoversKept.push(talk.path(''));
    reason = undefined;
  } catch (error) {
    reason = error;
    throw error;
  } finally {
    found.visitors = talk.visitors.size;
    if (reason !== undefined) yield* talk.abandon(reason);
  }
}

function* clear(lookout: Lookout, partner: string | undefined, found: Found): Steps<void> {
  const { removed, kept } = yield* lookout.clear(partner === undefined ? [] : [partner]);
  found.leftoversRemoved = removed;
  found.leftoversKept.push(...kept);
}

function factsOf({ host, mount }: ProbeOrder): SideFacts {
  const bootId = host.readText('/proc/sys/kernel/random/boot_id');
  return { fsType: mount.fsType ?? null, kernel: bootId?.replaceAll('-', '').slice(0, 12) ?? null };
}
