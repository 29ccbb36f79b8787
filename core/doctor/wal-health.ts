// The health of a write-ahead log, from `-wal` and `-shm` alone: without SQLite, without a lock and changing nothing.

import type { Host } from '../../vfs/host.ts';
import { type DatabaseHeader, readDatabaseHeader } from './header.ts';
import { lookInto, statusUnfollowed, Unreadable } from './read-file.ts';
import type { WalHeader } from './wal-file.ts';
import { type Fit, judgeFit } from './wal-fit.ts';
import type { WalIndexHeader, WalIndexReading } from './wal-index-file.ts';
import { type LogSnapshot, lookAtIndex, type SnapshotOptions, snapshotOf, wholeFrames } from './wal-snapshot.ts';

export interface WalQuestion {
  /** The header of the database, read before this is asked. Without it nothing is said about whether the two fit. */
  readonly header?: DatabaseHeader;
  /** The reader slots (0 to 4) whose lock is held, as lock holders show them. Without them it is not known who pins the log. */
  readonly heldSlots?: readonly number[];
  /**
   * Nobody has the database open. A wal-index then proves nothing, since the next open makes a new one from the log alone: so
   * the log is walked. Default false.
   */
  readonly alone?: boolean;
  /** Bytes of frames that are read at most, where no wal-index spares us that. Default 1 GiB, which takes a second or two. */
  readonly walkLimit?: number;
}

export interface WalHealth {
  /** Bytes of the `-wal` and of the `-shm`; undefined where there is none. */
  readonly walBytes: number | undefined;
  readonly shmBytes: number | undefined;
  /** Why the `-wal` could not be looked into, such as `permission denied (EACCES)`; what that leaves open is undefined. */
  readonly unreadable: string | undefined;
  /** Written so fast that no two looks agreed. Nothing is said about its frames; ask again. */
  readonly busy: boolean;
  /** Undefined for a log too short to have one. */
  readonly walHeader: WalHeader | undefined;
  readonly indexState: WalIndexReading['state'];
  /** Only if it is valid; it may still describe another log, see `countedBy`. */
  readonly index: WalIndexHeader | undefined;
  /**
   * `wal-index`: told by a valid wal-index of this very log. `walk`: counted by salts and checksums, as SQLite's own recovery
   * does. `nothing`: there is nothing to count, or it could not be told.
   */
  readonly countedBy: 'wal-index' | 'walk' | 'nothing';
  /** Whole frames that the file has room for: valid ones, and those left from before the log was begun anew. */
  readonly frames: number;
  /** Frames in a row, from the first, that are valid. */
  readonly validFrames: number;
  /** The last of them that ends a transaction; 0 if none does. */
  readonly lastCommitFrame: number;
  /** Pages of the database after that commit; 0 if there is none. */
  readonly commitPages: number;
  /**
   * Frames behind the last commit that were committed too, but that the next open does not find, because one before them is
   * damaged or torn. Looked for only where nobody uses the log; else 0.
   */
  readonly unreachable: number;
  /** False if counting stopped at its limit: there are at least so many. */
  readonly complete: boolean;
  /** Committed frames that are not in the database file yet; where no wal-index tells, all of them. Undefined if not known. */
  readonly pending: number | undefined;
  /** Nothing is pending: such a log is healthy, however large. Undefined if not known. */
  readonly fullyCheckpointed: boolean | undefined;
  /** Slots in use whose mark lies before the last frame: a reader in one of them would hold checkpoints up. */
  readonly marksBehind: readonly number[];
  /**
   * The held slots that keep frames from being checkpointed: those of `marksBehind`, and slot 0 while anything is pending.
   * Undefined if it was not said which are held.
   */
  readonly pinnedBy: readonly number[] | undefined;
  /** Why this is certainly not the log of the database as it is, without a full stop. */
  readonly doesNotFit: string | undefined;
  /** What looks as if it did not fit, but may have another cause. */
  readonly suspicious: readonly string[];
}

const DEFAULT_WALK_LIMIT = 2 ** 30;
/** A log that was begun anew while we looked is seen whole at one of the next tries. */
const TRIES = 4;
const PAUSE_MS = 3;
const NO_FIT: Fit = { doesNotFit: undefined, suspicious: [] };

/** `path` is the resolved path of the database; its sidecars lie beside it, and nobody in this process has it open. */
export function examineWal(host: Host, path: string, question: WalQuestion = {}): WalHealth {
  const options = { walkLimit: question.walkLimit ?? DEFAULT_WALK_LIMIT, alone: question.alone ?? false };
  let found = lookOnce(host, path, options);
  for (let tries = 1; tries < TRIES && !(found instanceof Unreadable) && found.torn; tries++) {
    host.sleep(PAUSE_MS);
    found = lookOnce(host, path, options);
  }
  return found instanceof Unreadable ? withoutLog(host, path, found) : healthOf(host, path, found, question);
}

function lookOnce(host: Host, path: string, options: SnapshotOptions): LogSnapshot | Unreadable {
  return lookInto(host, `${path}-wal`, ({ fd, status }) => {
    const snapshot = snapshotOf(host, path, fd, options);
    // The last connection may have closed and another one made a new log, while we looked at the old one's remains.
    const now = host.status(`${path}-wal`);
    const isThere = typeof now !== 'number' && now.ino === status.ino && now.dev === status.dev;
    return isThere ? snapshot : { ...snapshot, torn: true };
  });
}

function healthOf(host: Host, path: string, snapshot: LogSnapshot, question: WalQuestion): WalHealth {
  const { header, index, counts, walk, walBytes, torn, failure, countedBy } = snapshot;
  const describing = countedBy === 'wal-index' ? index : undefined;
  const known = !torn && failure === undefined && (header === undefined || counts !== undefined);
  const pending = known ? Math.max(0, (counts?.lastCommitFrame ?? 0) - backfilledOf(snapshot)) : undefined;
  const complete = known && (walk?.complete ?? true);
  return {
    walBytes,
    shmBytes: sizeOf(host, `${path}-shm`),
    unreadable: failure === undefined ? undefined : Unreadable.failure(host, failure).reason,
    busy: torn,
    walHeader: header,
    indexState: snapshot.reading.state,
    index,
    countedBy,
    frames: header === undefined ? 0 : wholeFrames(walBytes, header),
    validFrames: counts?.validFrames ?? 0,
    lastCommitFrame: counts?.lastCommitFrame ?? 0,
    commitPages: counts?.commitPages ?? 0,
    unreachable: torn ? 0 : snapshot.unreachable,
    complete,
    pending,
    fullyCheckpointed: pending === undefined || (pending === 0 && !complete) ? undefined : pending === 0,
    ...pins(describing, pending, question.heldSlots),
    ...fitOf(host, path, snapshot, question.header),
  };
}

/** Frames that are in the database file already. Of a log that was walked, only if its wal-index counted the very same frames. */
function backfilledOf({ index, countedBy, counts, describesIt }: LogSnapshot): number {
  if (countedBy === 'wal-index') return index?.nBackfill ?? 0;
  return index !== undefined && describesIt && index.mxFrame === counts?.lastCommitFrame ? index.nBackfill : 0;
}

/** Readers keep a checkpoint from copying frames behind their marks; who reads in slot 0 reads the file itself, and blocks it whole. */
function pins(
  index: WalIndexHeader | undefined,
  pending: number | undefined,
  held: readonly number[] | undefined,
): Pick<WalHealth, 'marksBehind' | 'pinnedBy'> {
  const marks = index?.readMarks ?? [];
  const marksBehind = marks.flatMap((mark, slot) =>
    slot > 0 && mark !== undefined && mark < (index?.mxFrame ?? 0) ? [slot] : [],
  );
  if (held === undefined || index === undefined) return { marksBehind, pinnedBy: held && [] };
  const pinning = pending === 0 ? [] : held.filter((slot) => slot === 0 || marksBehind.includes(slot));
  return { marksBehind, pinnedBy: [...new Set(pinning)].sort((a, b) => a - b) };
}

function fitOf(host: Host, path: string, snapshot: LogSnapshot, before: DatabaseHeader | undefined): Fit {
  const { header, index, countedBy, counts, torn, walBytes, describesIt } = snapshot;
  if (torn) return NO_FIT;
  if (header === undefined) return { doesNotFit: undefined, suspicious: orphanIndex(index, 'is empty') };
  if (counts === undefined) return { doesNotFit: damage(header), suspicious: [] };
  const counted = describesIt ? (index?.mxFrame ?? 0) : 0;
  if (counted > wholeFrames(walBytes, header)) {
    const held = `the -shm counts ${counted} frames, but the log holds ${wholeFrames(walBytes, header)}`;
    return { doesNotFit: `${held}: it was cut, or is another one`, suspicious: [] };
  }
  const exchanged = countedBy === 'walk' && !describesIt && (index?.mxFrame ?? 0) > 0;
  const ofIndex = exchanged ? ['the -shm describes another log than this -wal: one of the two was exchanged'] : [];
  const after = before && readDatabaseHeader(host, path);
  if (!before || !after?.ok) return { doesNotFit: undefined, suspicious: ofIndex };
  const { lastCommitFrame, commitPages, firstPages } = counts;
  const byIndex = countedBy === 'wal-index' || describesIt;
  const evidence = { before, after: after.header, wal: header, lastCommitFrame, commitPages, byIndex, firstPages };
  const { doesNotFit, suspicious } = judgeFit({ ...evidence, steady: snapshot.steady });
  return { doesNotFit, suspicious: [...ofIndex, ...suspicious] };
}

function orphanIndex(index: WalIndexHeader | undefined, how: string): string[] {
  return index && index.mxFrame > 0 ? [`the -shm counts ${index.mxFrame} frames, but the -wal ${how}`] : [];
}

function damage(header: WalHeader): string {
  const what = !header.magicKnown
    ? 'it does not begin as a log does'
    : !header.checksumRight
      ? 'the checksum of its header is wrong'
      : `its header is not one that SQLite knows (format ${header.format}, page size ${header.pageSize})`;
  return `${what}, so SQLite reads nothing of it; transactions that only it holds are out of reach`;
}

function withoutLog(host: Host, path: string, { why, reason }: Unreadable): WalHealth {
  const absent = why === 'absent';
  const reading = lookAtIndex(host, path);
  const index = reading.state === 'valid' ? reading.header : undefined;
  return {
    walBytes: absent ? undefined : sizeOf(host, `${path}-wal`),
    shmBytes: sizeOf(host, `${path}-shm`),
    unreadable: absent ? undefined : reason,
    busy: false,
    walHeader: undefined,
    indexState: reading.state,
    index,
    countedBy: 'nothing',
    frames: 0,
    validFrames: 0,
    lastCommitFrame: 0,
    commitPages: 0,
    unreachable: 0,
    complete: absent,
    pending: absent ? 0 : undefined,
    fullyCheckpointed: absent ? true : undefined,
    ...pins(undefined, undefined, undefined),
    doesNotFit: undefined,
    suspicious: absent ? orphanIndex(index, 'does not exist') : [],
  };
}

function sizeOf(host: Host, path: string): number | undefined {
  const status = statusUnfollowed(host, path);
  return typeof status === 'number' ? undefined : status.size;
}
