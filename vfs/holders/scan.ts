// Who has these databases open, and with which locks: one pass over /proc for as many databases as are asked for.

import type { Host } from '../host.ts';
import { DEAD_MAN_LOCK } from '../locks/lock-bytes.ts';
import { attributeLocks, namedLocks } from './attribution.ts';
import { DescriptorScanner, type Match } from './descriptors.ts';
import type { Holder, HolderLock, HolderReport } from './holder.ts';
import { holdsNoFiles, ProcessTeller, parseStat } from './process-details.ts';
import { NO_PROCESSES, viewLimits } from './view.ts';
import { PARTS, Watched, type WatchedPart } from './watched.ts';

/** Milliseconds after which a file that seemed lost is looked at once more. */
const SECOND_LOOK = 10;
/** Scans of files that come and go while they are scanned. The last one's answer is taken as it is. */
const MOST_SCANS = 3;

/** Narrows a scan, for whoever knows already where to look. */
export interface ScanScope {
  /** Look only at this process. */
  readonly pid?: number;
  /** A descriptor of our own process that is not to be counted. */
  readonly exceptFd?: number;
}

/** The numbers of all processes that /proc shows; undefined where there is no /proc of Linux. */
export function processNumbers(host: Host): number[] | undefined {
  if (host.platform !== 'linux') return undefined;
  const names = host.list('/proc');
  if (typeof names === 'number') return undefined;
  const numbers = names.filter((name) => /^\d+$/.test(name)).map(Number);
  return numbers.length === 0 ? undefined : numbers.sort((a, b) => a - b);
}

/**
 * Which processes have each of these databases open, our own included: its main file or a sidecar, under whatever name.
 * The answer has one report for each of `paths`, under the path as it was given; what lies there need not exist.
 *
 * Looks at /proc and asks for the status of files; opens no database and no sidecar. Linux only; elsewhere the reports are
 * empty and say so in `limits`. It costs about the time of three system calls for each open file of the machine.
 */
export function scanHolders(host: Host, paths: readonly string[], scope: ScanScope = {}): Map<string, HolderReport> {
  const all = processNumbers(host);
  if (all === undefined) return new Map(paths.map((path) => [path, nothingKnown()]));
  const limits = viewLimits(host, all);
  const { watched, matches, uninspected } = findAtRest(host, paths, scope.pid === undefined ? all : [scope.pid]);
  const teller = new ProcessTeller(host);
  const told = new Map<number, ReturnType<ProcessTeller['tell']>>();
  const tell = (pid: number) => {
    if (!told.has(pid)) told.set(pid, teller.tell(pid));
    return told.get(pid);
  };
  const reports = new Map<string, HolderReport>();
  for (const [database, own] of watched.limits) {
    const found = holdersIn(host, database, matches, watched, scope, tell);
    const unlisted = found.listed
      ? []
      : ['/proc/locks cannot be read, so locks of processes that cannot be inspected do not show'];
    const { holders, unattributed } = found;
    reports.set(database, { holders, unattributed, uninspected, limits: [...limits, ...own, ...unlisted] });
  }
  return reports;
}

/** Who has this database open: `scanHolders` for one. */
export function holdersOf(host: Host, path: string, scope: ScanScope = {}): HolderReport {
  return scanHolders(host, [path], scope).get(path) ?? nothingKnown();
}

function nothingKnown(): HolderReport {
  return { holders: [], unattributed: [], uninspected: 0, limits: [NO_PROCESSES] };
}

interface Found {
  readonly watched: Watched;
  readonly matches: Match[];
  readonly uninspected: number;
}

/** Sidecars are made and deleted all the time. What was found is true only of files that are still the same at the end. */
function findAtRest(host: Host, paths: readonly string[], pids: readonly number[]): Found {
  for (let scan = 1; ; scan++) {
    const watched = new Watched(host, paths);
    const found = { watched, ...findMatches(host, watched, pids) };
    if (scan === MOST_SCANS || watched.isUnchanged(host)) return found;
  }
}

function findMatches(host: Host, watched: Watched, pids: readonly number[]): { matches: Match[]; uninspected: number } {
  const scanner = new DescriptorScanner(host, watched);
  const found: Match[] = [];
  let uninspected = 0;
  for (const pid of pids) {
    const matches = scanner.scan(pid);
    if (matches !== 'denied') found.push(...matches);
    else if (mayHoldFiles(host, pid)) uninspected++;
  }
  if (found.some((match) => match.lost)) host.sleep(SECOND_LOOK);
  const matches = found.flatMap((match) => scanner.confirm(match) ?? []);
  return { matches, uninspected };
}

function mayHoldFiles(host: Host, pid: number): boolean {
  const text = host.readText(`/proc/${pid}/stat`);
  // Unreadable while the process is there: hidden, and so it may hold anything.
  if (text === undefined) return typeof host.status(`/proc/${pid}`) !== 'number';
  const stat = parseStat(text);
  return stat === undefined || !holdsNoFiles(stat);
}

/** One process as it is put together. */
interface Draft {
  readonly files: Holder['files'][number][];
  readonly locks: HolderLock[];
  /** Known from the list of locks alone. */
  readonly hidden: boolean;
}

function holdersIn(
  host: Host,
  database: string,
  allMatches: readonly Match[],
  watched: Watched,
  { pid: only, exceptFd }: ScanScope,
  tell: ProcessTeller['tell'],
): { holders: Holder[]; unattributed: HolderLock[]; listed: boolean } {
  const matches = allMatches.filter(({ part }) => part.database === database);
  const parts = watched.parts.filter((part) => part.database === database);
  const { held, unexplained, listed } = attributeLocks(host, matches, parts);
  const drafts = new Map<number, Draft>();
  const draftOf = (pid: number, hidden: boolean) => {
    const draft = drafts.get(pid) ?? { files: [], locks: [], hidden };
    drafts.set(pid, draft);
    return draft;
  };
  const self = Number(host.readLink('/proc/self'));
  matches.forEach(({ pid, fd, part, lost }, index) => {
    if (pid === self && Number(fd) === exceptFd) return;
    const draft = draftOf(pid, false);
    draft.files.push({ part: part.part, lost });
    for (const line of held[index] ?? []) draft.locks.push(...namedLocks(part.part, line));
  });
  const unattributed: HolderLock[] = [];
  for (const { part, line } of unexplained) {
    const locks = namedLocks(part.part, line);
    if (line.pid === undefined) unattributed.push(...locks);
    else if (locks.length > 0 && (only === undefined || only === line.pid)) {
      const draft = draftOf(line.pid, true);
      // Only a process that has the file open can have a lock on it.
      draft.files.push({ part: part.part, lost: false });
      draft.locks.push(...locks);
    }
  }
  const wal = watched.parts.find((part) => part.database === database && part.part === 'wal');
  for (const [pid, draft] of drafts)
    if (!draft.hidden && lacksWal(draft) && stillLacksWal(host, watched, pid, wal)) draft.files.push({ part: 'wal', lost: true });
  const holders = [...drafts].sort(([a], [b]) => a - b).flatMap(([pid, draft]) => finish(pid, draft, tell(pid)) ?? []);
  return { holders, unattributed, listed };
}

/**
 * Every connection opens the WAL before the wal-index and closes it after. Whoever lives in the wal-index but has nothing open
 * at the path of the WAL uses one that was moved away, whatever it is called now.
 */
function lacksWal({ files, locks }: Draft): boolean {
  return locks.some(({ lock }) => lock === DEAD_MAN_LOCK) && !files.some(({ part }) => part === 'wal');
}

/** A connection that is being closed has closed its WAL already: a moment later it is gone. */
function stillLacksWal(host: Host, watched: Watched, pid: number, wal: WatchedPart | undefined): boolean {
  host.sleep(SECOND_LOOK);
  const matches = new DescriptorScanner(host, watched).scan(pid);
  if (matches === 'denied' || !wal) return false;
  const own = matches.filter(({ part, lost }) => part.database === wal.database && !lost).map(({ part }) => part.part);
  return own.includes('shm') && !own.includes('wal') && watched.isUnchanged(host);
}

function finish(pid: number, draft: Draft, told: ReturnType<ProcessTeller['tell']>): Holder | undefined {
  // It ended while we were looking, and what it held is free; unless the kernel says otherwise and it is only hidden.
  if (told === undefined && !draft.hidden) return undefined;
  const order = PARTS.map(([part]) => part);
  const files = distinct(draft.files).sort(
    (a, b) => order.indexOf(a.part) - order.indexOf(b.part) || Number(a.lost) - Number(b.lost),
  );
  const { command, startedAt, container } = told ?? { command: '[hidden]', startedAt: undefined, container: undefined };
  return { pid, command, startedAt, container, files, locks: distinct(draft.locks) };
}

/** Each different object once. */
function distinct<T extends object>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
