// Which lock belongs to whom: the locks that fdinfo shows at each descriptor, set against the kernel's list of all locks.
//
// The two cannot be read at the same moment, so a lock that only the list shows may just have been taken. It counts as
// nobody's only if it stays unexplained through several readings.

import type { Host } from '../host.ts';
import type { Match } from './descriptors.ts';
import type { DatabasePart, HolderLock } from './holder.ts';
import { lockNames } from './lock-names.ts';
import { type LockLine, parseDescriptorInfo, parseLocks } from './proc-locks.ts';
import type { WatchedPart } from './watched.ts';

const READINGS = 3;

/** A lock of the kernel on one part of a database. */
export interface PartLock {
  readonly part: WatchedPart;
  readonly line: LockLine;
}

export interface Attribution {
  /** By the index of the match. */
  readonly held: readonly (readonly LockLine[])[];
  /** On the list, but at no descriptor that we could look at. A POSIX lock has a pid all the same. */
  readonly unexplained: readonly PartLock[];
  /** Whether the list could be read. */
  readonly listed: boolean;
}

/** `matches` and `parts` of one database. Locks on lost files are left out: they stand in nobody's way. */
export function attributeLocks(host: Host, matches: readonly Match[], parts: readonly WatchedPart[]): Attribution {
  let suspects: ReadonlySet<string> | undefined;
  for (let reading = 1; ; reading++) {
    const text = host.readText('/proc/locks');
    const held = matches.map((match) => (match.lost ? [] : locksAt(host, match)));
    const unexplained = text === undefined ? [] : without(locksOn(parts, parseLocks(text)), matches, held);
    const confirmed = unexplained.filter(({ line }) => suspects?.has(keyOf(line)) ?? true);
    if (confirmed.length === 0 || reading === READINGS) return { held, unexplained: confirmed, listed: text !== undefined };
    suspects = new Set(confirmed.map(({ line }) => keyOf(line)));
  }
}

function locksAt(host: Host, match: Match): readonly LockLine[] {
  return parseDescriptorInfo(host.readText(`/proc/${match.pid}/fdinfo/${match.fd}`) ?? '').locks;
}

function locksOn(parts: readonly WatchedPart[], lines: readonly LockLine[]): PartLock[] {
  return lines.flatMap((line) => {
    const part = parts.find((candidate) => candidate.lockFiles.has(line.file));
    return part === undefined ? [] : [{ part, line }];
  });
}

/** Takes away the locks that descriptors explain, one for one: several readers may hold locks that look the same. */
function without(listed: readonly PartLock[], matches: readonly Match[], held: readonly (readonly LockLine[])[]): PartLock[] {
  const explained = new Map<string, number>();
  matches.forEach((_, index) => {
    for (const line of held[index] ?? []) explained.set(keyOf(line), (explained.get(keyOf(line)) ?? 0) + 1);
  });
  return listed.filter(({ line }) => {
    const left = explained.get(keyOf(line)) ?? 0;
    explained.set(keyOf(line), left - 1);
    return left <= 0;
  });
}

function keyOf({ owner, kind, pid, file, start, end }: LockLine): string {
  return [owner, kind, pid, file, start, end].join(' ');
}

/** By SQLite's names; nothing where the bytes are none of SQLite's. */
export function namedLocks(part: DatabasePart, { owner, kind, start, end }: LockLine): HolderLock[] {
  return lockNames(part, kind, start, end).map((lock) => ({ lock, kind, owner }));
}
