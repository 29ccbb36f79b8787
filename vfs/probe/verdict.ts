// What the facts of a probe mean for SQLite: one line, the exit status, and what to do. A pure function.

import { ADVICE_ON_ENDS, ELSEWHERE, isAtOnce, oneAtATime, REPLACING, ROLLBACK, takingTurns } from './advice.ts';
import type { Alone, BothWays, Check, Exchange, Exclusion, Failure } from './evidence.ts';
import type { EndCode } from './ground.ts';

/**
 * - `all-crosses`: two sides proved all that WAL needs. `all-holds`: two processes did, on a file system of one kernel.
 * - `one-side-only`: the same on a mount that others may share, which one side cannot speak for.
 * - `locks-fail`: lock calls fail. `no-lock-crosses`: they work, and nobody on the other side is kept out.
 * - `locks-flawed`: they exclude, but not in all the ways that SQLite needs.
 * - `writes-late`: locks exclude, but what was written under one is not seen under the next.
 * - `no-shared-memory`: a file cannot be mapped. `memory-apart`: it can, and each side sees memory of its own.
 * - `names-unsafe`: a name that may be made once was made twice.
 * - `folder-unfit`: something that SQLite asks of any folder fails here.
 * - the rest: why there is no answer.
 */
export type VerdictCode =
  | 'all-crosses'
  | 'all-holds'
  | 'one-side-only'
  | 'locks-fail'
  | 'no-lock-crosses'
  | 'locks-flawed'
  | 'writes-late'
  | 'no-shared-memory'
  | 'memory-apart'
  | 'names-unsafe'
  | 'folder-unfit'
  | EndCode;

export interface Verdict {
  code: VerdictCode;
  /** 0: all that WAL needs was proved. 1: something does not hold. 2: could not tell. */
  exit: 0 | 1 | 2;
  /** One sentence without a full stop. */
  summary: string;
  /** What to do, in the order of preference; each a sentence without a full stop. */
  advice: string[];
}

export interface Evidence {
  mode: 'one-side' | 'peer';
  /** Whether the mount's class lets WAL be used: a file system of this kernel alone. */
  walSafe: boolean;
  alone?: Alone | undefined;
  exchange?: Exchange | undefined;
  ended?: { code: EndCode; message: string } | undefined;
}

/**
 * Checks without which no journal mode works. Locks and mapping have facts of their own; and SQLite renames nothing, and can live
 * with an unlinked name that stays until the file is closed (CIFS).
 */
const NEEDED = ['exclusiveCreate', 'grow', 'truncate', 'syncFile', 'syncDirectory'] as const;

export function judge(evidence: Evidence): Verdict {
  const verdict = judgeNeeds(evidence);
  const { replacement } = evidence.exchange ?? {};
  const torn = replacement && [replacement.ours, replacement.theirs].some(({ outcome }) => outcome === 'torn');
  return torn ? { ...verdict, advice: [...verdict.advice, REPLACING] } : verdict;
}

function judgeNeeds(evidence: Evidence): Verdict {
  const { alone, exchange, ended, mode } = evidence;
  const peer = mode === 'peer';
  if (alone?.lock.outcome === 'failed') return locksFail(saidOf(alone.lock));
  const unfit = alone && NEEDED.map((check) => problemOf(alone[check])).find((problem) => problem !== undefined);
  if (unfit !== undefined)
    return { code: 'folder-unfit', exit: 1, summary: `No database works in this folder: ${unfit}`, advice: [ELSEWHERE] };
  if (ended) return undecided(ended);
  const { locks, writes, mapping, memory } = exchange ?? {};
  // Whoever calls this without an end has run all trials; facts that are missing prove nothing.
  if (!exchange || !locks || !writes || !mapping) return undecided({ code: 'out-of-step', message: 'Not all trials were run' });

  const crossing = worst(locks);
  // Seen on FUSE mounts that forward locks: all programs on the mount are one owner to the file system behind it.
  const exclusion: Exclusion =
    crossing.outcome === 'excludes' && alone?.lock.outcome === 'fails'
      ? { outcome: 'flawed', flaw: 'on this side a lock was granted twice' }
      : crossing;
  if (exclusion.outcome === 'failed') return locksFail(saidOf(exclusion));
  if (exclusion.outcome === 'ignored') return ignored(exchange, peer);
  if (exclusion.outcome === 'flawed')
    return {
      code: 'locks-flawed',
      exit: 1,
      summary: `Locks ${peer ? 'cross' : 'work'} only in part: ${exclusion.flaw}; neither journal mode is safe with ${users(peer)}`,
      advice: [oneAtATime(peer), ELSEWHERE],
    };
  if (![writes.ours, writes.theirs].every(({ locked, grown }) => isAtOnce(locked) && isAtOnce(grown)))
    return {
      code: 'writes-late',
      exit: 1,
      summary: `Locks ${peer ? 'cross' : 'exclude'}, but what one ${peer ? 'side' : 'process'} writes the other reads late, even under locks: neither WAL nor a rollback journal is safe with ${users(peer)}`,
      advice: [oneAtATime(peer), ELSEWHERE],
    };
  const unmapped = [mapping.ours, mapping.theirs].find((each) => each.outcome === 'failed');
  if (unmapped?.outcome === 'failed')
    return {
      code: 'no-shared-memory',
      exit: 1,
      summary: `Locks ${peer ? 'cross' : 'exclude'} and writes are seen at once, but a file cannot be mapped ${where(mapping, peer)} (${unmapped.errno}): WAL cannot be opened there, which fails safe; a rollback journal works`,
      advice: [ROLLBACK],
    };
  if (!memory || !isAtOnce(memory.ours) || !isAtOnce(memory.theirs))
    return {
      code: 'memory-apart',
      exit: 1,
      summary: `Locks ${peer ? 'cross' : 'exclude'} and writes are seen at once, but mapped memory is not shared: never WAL; a rollback journal works`,
      advice: [ROLLBACK],
    };
  // Last, because no journal mode builds on it; dot-file locks do.
  const unsafeNames = namesProblem(exchange);
  if (unsafeNames !== undefined)
    return {
      code: 'names-unsafe',
      exit: 1,
      summary: `Locks, writes and mapped memory work, but names are not safe: ${unsafeNames}`,
      advice: ['Use no dot-file locks here', ELSEWHERE],
    };
  return allGood(evidence, exchange);
}

function allGood({ mode, walSafe }: Evidence, { sameKernel }: Exchange): Verdict {
  if (mode === 'peer') {
    const kernel = sameKernel === true ? ' (both run on one kernel)' : sameKernel === false ? ' (between two kernels)' : '';
    return {
      code: 'all-crosses',
      exit: 0,
      summary: `Everything that WAL needs works between the two sides${kernel}: locks exclude, writes and mapped memory are seen at once`,
      advice: [],
    };
  }
  const summary = 'Everything that WAL needs works between two processes on this side';
  if (walSafe) return { code: 'all-holds', exit: 0, summary, advice: [] };
  return {
    code: 'one-side-only',
    exit: 2,
    summary: `${summary}, but this mount may be shared with others, and whether locks and memory reach them cannot be told from one side`,
    advice: ['Run `holdfast probe DIR --peer` on both sides at once'],
  };
}

function undecided({ code, message }: { code: EndCode; message: string }): Verdict {
  return { code, exit: 2, summary: message, advice: ADVICE_ON_ENDS[code] };
}

function locksFail(problem: string): Verdict {
  return {
    code: 'locks-fail',
    exit: 1,
    summary: `Locking does not work here: ${problem}; Holdfast opens no database without locks`,
    advice: ['Make the mount give locks (NFS: lockd running and no `nolock`; CIFS: no `nobrl`)', ELSEWHERE],
  };
}

function ignored(exchange: Exchange, peer: boolean): Verdict {
  const { ours, theirs } = exchange.locks as BothWays<Exclusion>;
  const both = ours.outcome === 'ignored' && theirs.outcome === 'ignored';
  if (!peer)
    return {
      code: 'no-lock-crosses',
      exit: 1,
      summary: 'Locks do not keep two processes apart here: neither WAL nor a rollback journal is safe with more than one',
      advice: [oneAtATime(peer), ELSEWHERE],
    };
  const what = both
    ? 'No lock crosses'
    : ours.outcome === 'ignored'
      ? 'Our locks do not reach the other side'
      : "The other side's locks do not reach us";
  const turns = takingTurns(exchange);
  return {
    code: 'no-lock-crosses',
    exit: 1,
    summary: `${what}: neither WAL nor a rollback journal is safe with a writer on each side; one side at a time only`,
    advice: [oneAtATime(peer), turns, ELSEWHERE],
  };
}

function namesProblem({ exclusiveCreate, makeDirectory }: Exchange): string | undefined {
  for (const race of [exclusiveCreate, makeDirectory]) {
    if (race?.outcome === 'failed') return saidOf(race);
    if (race?.outcome === 'broken')
      return race.twoWinners > 0 ? 'a name that may be made once was made by both' : 'a name that nobody had was refused to both';
  }
  return undefined;
}

function where({ ours, theirs }: BothWays<{ outcome: string }>, peer: boolean): string {
  if (!peer || (ours.outcome === 'failed' && theirs.outcome === 'failed')) return 'here';
  return ours.outcome === 'failed' ? 'on this side' : 'on the other side';
}

const WEIGHT: Record<Exclusion['outcome'], number> = { failed: 3, ignored: 2, flawed: 1, excludes: 0 };

function worst({ ours, theirs }: BothWays<Exclusion>): Exclusion {
  return WEIGHT[theirs.outcome] > WEIGHT[ours.outcome] ? theirs : ours;
}

function problemOf(check: Check): string | undefined {
  if (check.outcome === 'works') return undefined;
  return check.outcome === 'fails' ? check.why : saidOf(check);
}

function saidOf({ call, errno }: Failure): string {
  return `${call} fails with ${errno}`;
}

function users(peer: boolean): string {
  return peer ? 'a writer on each side' : 'more than one process';
}
