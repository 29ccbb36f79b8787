// One database as doctor sees it: all that can be found out about it without changing it, gathered once.

import { Errnos } from '../../vfs/errno.ts';
import type { Finding } from '../../vfs/finding.ts';
import type { HolderReport } from '../../vfs/holders/holder.ts';
import type { Host } from '../../vfs/host.ts';
import { type JournalOnDisk, journalOnDisk } from '../../vfs/journal/on-disk.ts';
import type { Classification } from '../../vfs/mount/classification.ts';
import { classify } from '../../vfs/mount/classify.ts';
import { conflictCopies, type Synced, syncedBy } from '../../vfs/mount/synced.ts';
import { isHotJournal } from './beside.ts';
import type { DatabaseConfig } from './config.ts';
import { type HeaderReading, readDatabaseHeader } from './header.ts';
import { lookInto, Unreadable } from './read-file.ts';
import { examineSurroundings } from './surroundings.ts';
import { examineWal, type WalHealth } from './wal-health.ts';

/** What is to be examined. */
export interface Target {
  /** How its lines call it: `state.db`, `profiles/work/state.db`. */
  readonly label: string;
  readonly path: string;
  readonly config: DatabaseConfig;
  /** A store of transcripts in an agent's home, which is nobody else's business. */
  readonly private: boolean;
}

export interface Facts {
  readonly target: Target;
  /** Resolved, as far as it exists. */
  readonly path: string;
  readonly header: HeaderReading;
  readonly onDisk: JournalOnDisk;
  readonly ground: Classification;
  readonly holders: HolderReport;
  /** Undefined for what is no WAL database. */
  readonly wal: WalHealth | undefined;
  /** A rollback journal waits to be played back, or is somebody's who is writing. */
  readonly hotJournal: boolean;
  readonly surroundings: readonly Finding[];
  /** The program that keeps its folder in sync with other machines, if that can be seen. */
  readonly synced: Synced | undefined;
  readonly conflicts: readonly string[];
}

export function examine(host: Host, target: Target, holders: HolderReport): Facts {
  const header = readDatabaseHeader(host, target.path);
  const { path } = header;
  const onDisk = declaredBy(host, path);
  const held = isHeld(holders);
  const locks = [...holders.holders.flatMap((holder) => holder.locks), ...holders.unattributed];
  const heldSlots = locks.flatMap(({ lock }) => readSlot(lock));
  return {
    target,
    path,
    header,
    onDisk,
    ground: classify(host, target.path),
    holders,
    wal: header.ok && onDisk === 'wal' ? examineWal(host, path, { header: header.header, heldSlots, alone: !held }) : undefined,
    hotJournal: isHotJournal(host, `${path}-journal`),
    surroundings: examineSurroundings(host, target.path, { private: target.private, held }),
    synced: syncedBy(host, path),
    conflicts: conflictCopies(host, path),
  };
}

/** Whether somebody has it open, as far as that can be seen. */
export function isHeld({ holders, unattributed }: HolderReport): boolean {
  return holders.length > 0 || unattributed.length > 0;
}

function declaredBy(host: Host, path: string): JournalOnDisk {
  const found = lookInto(host, path, ({ fd }) => journalOnDisk(host, new Errnos(host.platform), fd, path));
  return found instanceof Unreadable ? 'unknown' : found;
}

/** The number of a reader's slot; none for other locks. */
export function readSlot(lock: string): number[] {
  const slot = /^WAL-read (\d)$/.exec(lock)?.[1];
  return slot === undefined ? [] : [Number(slot)];
}
