// Who stands in the way of a lock, found out at the moment of the error and within a budget.
//
// The kernel gives the pid of a POSIX lock, so one process is looked at. An open file description lock has no pid: all of
// /proc must be searched, which takes milliseconds on a small machine and much longer on a big one. A caller that asks
// again and again with a timeout of 0 must not pay for that each time.

import type { LockConflict, LockPlace } from '../../vfs/fault.ts';
import { describeProcess, enumerate, THIS_PROCESS } from '../../vfs/holders/describe.ts';
import type { Holder, HolderReport } from '../../vfs/holders/holder.ts';
import { lockNames, tellingLocks } from '../../vfs/holders/lock-names.ts';
import { holdersOf } from '../../vfs/holders/scan.ts';
import type { HeldLock, Host } from '../../vfs/host.ts';

/**
 * A search follows a wait for the lock as long as the search before it, or a pause this many times as long: so searching takes at
 * most half of the time of who waits, and a twentieth of that of who asks again and again.
 */
const PAUSE = 20;
/** Milliseconds for which what a search found may be said again. */
const FRESH = 1000;
/** Processes that a message names one by one. */
const MAX_NAMED = 3;

/** What is known of those who hold a lock that we wanted. */
export interface Blame {
  /** What can follow "the RESERVED lock ": one clause. */
  readonly clause: string;
  /** Those who stand in the way first, then others who have the database open, as far as they were looked for. */
  readonly holders: readonly Holder[];
  /** Of the one who stands in the way, if there is just one. */
  readonly pid: number | undefined;
}

const BLAMERS = new WeakMap<Host, LockBlamer>();

/** Whom to blame for a conflict, after waiting so many milliseconds. A thread has one budget for all its databases. */
export function blame(host: Host, conflict: LockConflict, waitedMs: number): Blame {
  let blamer = BLAMERS.get(host);
  if (blamer === undefined) {
    blamer = new LockBlamer(host);
    BLAMERS.set(host, blamer);
  }
  return blamer.blame(conflict, waitedMs);
}

interface Search {
  readonly place: LockPlace;
  readonly report: HolderReport;
  readonly at: number;
}

/** What one kind of looking may cost. */
class Budget {
  readonly #host: Host;
  #endedAt = Number.NEGATIVE_INFINITY;
  #tookMs = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Looks, if a pause or a wait for the lock has paid for it; else undefined. */
  spend<T>(waitedMs: number, look: () => T): T | undefined {
    const begin = this.#host.monotonic();
    const waited = waitedMs > 0 && waitedMs >= this.#tookMs;
    if (!waited && begin - this.#endedAt < PAUSE * this.#tookMs) return undefined;
    const found = look();
    this.#endedAt = this.#host.monotonic();
    this.#tookMs = this.#endedAt - begin;
    return found;
  }
}

export class LockBlamer {
  readonly #host: Host;
  #last: Search | undefined;
  /** Of searches through all processes, and of looks at a single one. */
  readonly #wide: Budget;
  readonly #narrow: Budget;
  #waitedMs = 0;

  constructor(host: Host) {
    this.#host = host;
    this.#wide = new Budget(host);
    this.#narrow = new Budget(host);
  }

  blame(conflict: LockConflict, waitedMs = 0): Blame {
    const { place } = conflict;
    // A dot-file is a folder, and no process holds it.
    if (place === undefined) return { clause: 'was not free', holders: [], pid: undefined };
    const held = conflict.holder();
    if (held === undefined) return GONE;
    this.#waitedMs = waitedMs;
    return held.pid === undefined ? this.#unknownProcess(place, held, conflict) : this.#knownProcess(place, held, held.pid);
  }

  #knownProcess(place: LockPlace, held: HeldLock, pid: number): Blame {
    const holder = this.#search(place, pid)?.holders.find((candidate) => candidate.pid === pid);
    const who = holder ?? { pid, command: '', startedAt: undefined, container: undefined };
    const clause = `was not free: ${this.#describe(who)} holds ${enumerate(tellingLocks(namesOf(place, held)))}`;
    return { clause, holders: holder ? [holder] : [], pid };
  }

  #unknownProcess(place: LockPlace, held: HeldLock, conflict: LockConflict): Blame {
    const names = namesOf(place, held);
    const self = this.#host.processId;
    // There can be but one who holds a lock for writing, and he is often another connection of ours: quickly looked up.
    let report = held.kind === 'write' ? this.#search(place, self) : undefined;
    let culprits = culpritsIn(report, names, held);
    if (culprits.length === 0) {
      report = this.#search(place, undefined);
      culprits = culpritsIn(report, names, held);
    }
    const others = (report?.holders ?? []).filter((holder) => !culprits.includes(holder) && holder.pid !== self);
    const holders = [...culprits, ...others];
    if (culprits.length > 0) {
      const pid = culprits.length === 1 ? culprits[0]?.pid : undefined;
      return { clause: `was not free: ${this.#accuse(culprits, tellingLocks(names))}`, holders, pid };
    }
    if (conflict.holder() === undefined) return { ...GONE, holders };
    return { clause: `was not free: ${enumerate(tellingLocks(names))} is held by ${whoever(report)}`, holders, pid: undefined };
  }

  #accuse(culprits: readonly Holder[], names: readonly string[]): string {
    const named = culprits.slice(0, MAX_NAMED).map((holder) => this.#describe(holder));
    if (culprits.length > MAX_NAMED) named.push(`${culprits.length - MAX_NAMED} more`);
    return `${enumerate(named)} ${culprits.length === 1 ? 'holds' : 'hold'} ${enumerate(names)}`;
  }

  #describe(holder: Pick<Holder, 'pid' | 'command' | 'startedAt' | 'container'>): string {
    if (holder.pid === this.#host.processId) return `another connection in ${THIS_PROCESS} (${holder.pid})`;
    return holder.command === '' ? `process ${holder.pid}` : describeProcess(holder, { now: this.#host.now() });
  }

  /** Searches, if the budget allows it; else says again what the last search found, or undefined. */
  #search(place: LockPlace, pid: number | undefined): HolderReport | undefined {
    const budget = pid === undefined ? this.#wide : this.#narrow;
    const scope = pid === undefined ? { exceptFd: place.fd } : { exceptFd: place.fd, pid };
    const report = budget.spend(this.#waitedMs, () => holdersOf(this.#host, place.database, scope));
    if (pid !== undefined) return report;
    if (report === undefined) return this.#lastAnswer(place);
    this.#last = { place, report, at: this.#host.monotonic() };
    return report;
  }

  #lastAnswer(place: LockPlace): HolderReport | undefined {
    const last = this.#last;
    if (last === undefined || this.#host.monotonic() - last.at >= FRESH || last.place.database !== place.database)
      return undefined;
    if (last.place.fd === place.fd) return last.report;
    // What it says of our process leaves out another descriptor than ours: we might be blamed ourselves.
    const holders = last.report.holders.filter((holder) => holder.pid !== this.#host.processId);
    return { ...last.report, holders };
  }
}

const GONE: Blame = { clause: 'was held until a moment ago', holders: [], pid: undefined };

function namesOf(place: LockPlace, { kind, start, length }: HeldLock): string[] {
  return lockNames(place.part, kind, start, length === 0 ? Number.POSITIVE_INFINITY : start + length - 1);
}

/** Those who hold one of these locks. Of a POSIX lock the kernel would have told the pid. */
function culpritsIn(report: HolderReport | undefined, names: readonly string[], { kind }: HeldLock): Holder[] {
  const isIt = ({ lock, kind: own, owner }: Holder['locks'][number]) => owner === 'OFD' && own === kind && names.includes(lock);
  return (report?.holders ?? []).filter((holder) => holder.locks.some(isIt));
}

function whoever(report: HolderReport | undefined): string {
  const unnamed = 'an open file description lock, which carries no pid';
  if (report === undefined) return `${unnamed} (its holder was not searched for again so soon)`;
  const reasons = [...report.limits];
  const { uninspected } = report;
  if (uninspected > 0)
    reasons.unshift(uninspected === 1 ? '1 process cannot be inspected' : `${uninspected} processes cannot be inspected`);
  return reasons.length === 0 ? unnamed : `somebody who cannot be found (${reasons.join('; ')})`;
}
