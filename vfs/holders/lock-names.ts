// From locked bytes to the names of SQLite's locks. One lock of the kernel can cover several.

import {
  DEAD_MAN_BYTE,
  DEAD_MAN_LOCK,
  PENDING_BYTE,
  RESERVED_BYTE,
  SHARED_FIRST,
  SHARED_SIZE,
  SHM_LOCK_BASE,
  WAL_LOCKS,
} from '../locks/lock-bytes.ts';
import type { DatabasePart } from './holder.ts';

interface NamedRange {
  readonly first: number;
  readonly last: number;
  readonly name: Readonly<Record<'read' | 'write', string>>;
}

const MAIN: readonly NamedRange[] = [
  { first: PENDING_BYTE, last: PENDING_BYTE, name: { read: 'PENDING', write: 'PENDING' } },
  { first: RESERVED_BYTE, last: RESERVED_BYTE, name: { read: 'RESERVED', write: 'RESERVED' } },
  { first: SHARED_FIRST, last: SHARED_FIRST + SHARED_SIZE - 1, name: { read: 'SHARED', write: 'EXCLUSIVE' } },
];
const SHM: readonly NamedRange[] = [
  ...WAL_LOCKS.map((name, offset) => oneByte(SHM_LOCK_BASE + offset, name)),
  oneByte(DEAD_MAN_BYTE, DEAD_MAN_LOCK),
];

function oneByte(byte: number, name: string): NamedRange {
  return { first: byte, last: byte, name: { read: name, write: name } };
}

/**
 * The names of all locks that a lock on these bytes (both included) is or covers; none where the bytes are none of SQLite's.
 * The write-ahead log and the rollback journal are never locked.
 */
export function lockNames(part: DatabasePart, kind: 'read' | 'write', start: number, end: number): string[] {
  const ranges = part === 'main' ? MAIN : part === 'shm' ? SHM : [];
  return ranges.filter(({ first, last }) => start <= last && first <= end).map(({ name }) => name[kind]);
}

/** The rollback ladder from the top: who has one has or had those below, which add nothing for a reader. */
const LADDER = ['EXCLUSIVE', 'PENDING', 'RESERVED', 'SHARED'];

/** Of one process's locks those that tell what it does: the top of the ladder, and the locks of the wal-index but the dead-man. */
export function tellingLocks(names: readonly string[]): string[] {
  const distinct = [...new Set(names)];
  const ofWal = distinct.filter((name) => name !== DEAD_MAN_LOCK && !LADDER.includes(name));
  const top = LADDER.find((name) => distinct.includes(name));
  // In WAL mode every connection that did anything keeps SHARED; it tells something only when it is alone.
  if (top === undefined || (top === 'SHARED' && ofWal.length > 0)) return ofWal.length > 0 ? ofWal : distinct;
  return [top, ...ofWal];
}
