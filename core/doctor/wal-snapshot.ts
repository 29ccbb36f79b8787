// One look at a log and its wal-index together, and whether the log stayed the same while we looked.

import type { Host } from '../../vfs/host.ts';
import { lookInto, Unreadable } from './read-file.ts';
import { lastCommitBehind } from './wal-damage.ts';
import {
  FIRST_PAGE_BYTES,
  type FirstPage,
  FRAME_HEADER_BYTES,
  parseFirstPage,
  parseWalHeader,
  WAL_HEADER_BYTES,
  type WalHeader,
} from './wal-file.ts';
import { framesOfPageOne, readWalIndex, type WalIndexHeader, type WalIndexReading } from './wal-index-file.ts';
import { type Walk, walkFrames } from './wal-walk.ts';

export interface SnapshotOptions {
  readonly walkLimit: number;
  readonly alone: boolean;
}

export interface LogSnapshot {
  readonly walBytes: number;
  /** Undefined where the file is too short for one. */
  readonly header: WalHeader | undefined;
  readonly reading: WalIndexReading;
  readonly index: WalIndexHeader | undefined;
  readonly countedBy: 'wal-index' | 'walk' | 'nothing';
  readonly counts: Pick<Walk, 'validFrames' | 'lastCommitFrame' | 'commitPages' | 'firstPages'> | undefined;
  readonly walk: Walk | undefined;
  /** The wal-index has the salts of this log. */
  readonly describesIt: boolean;
  /**
   * Frames of this log that were committed but that a recovery does not reach, because one before them is damaged. 0 where
   * somebody uses the log: his wal-index is then believed.
   */
  readonly unreachable: number;
  /** The log was begun anew while we looked, or the wal-index never stood still. */
  readonly torn: boolean;
  /** Nobody committed while we looked. */
  readonly steady: boolean;
  /** -errno of a read that failed. */
  readonly failure: number | undefined;
}

/** `alone`: nobody has the database open. Then SQLite believes no wal-index: the next open walks the log, and so is done here. */
export function snapshotOf(host: Host, path: string, fd: number, { walkLimit, alone }: SnapshotOptions): LogSnapshot {
  const reading = lookAtIndex(host, path);
  const index = reading.state === 'valid' ? reading.header : undefined;
  const walBytes = Math.max(0, host.size(fd));
  const bytes = new Uint8Array(WAL_HEADER_BYTES);
  const got = host.read(fd, bytes, 0, WAL_HEADER_BYTES, 0);
  const nothing = { header: undefined, countedBy: 'nothing', counts: undefined, walk: undefined } as const;
  const seen = { walBytes, reading, index, ...nothing, describesIt: false, unreachable: 0 };
  const torn = reading.state === 'busy';
  if (got < WAL_HEADER_BYTES) {
    // A checkpoint that truncates the log empties the wal-index first.
    const emptied = !isSame(lookAtIndex(host, path), reading);
    return { ...seen, torn: torn || emptied, steady: !torn && !emptied, failure: got < 0 ? got : undefined };
  }
  const header = parseWalHeader(bytes);
  if (torn) return { ...seen, header, torn, steady: false, failure: undefined };
  const counted = count(host, path, fd, { header, index, walkLimit, alone });
  const after = sameAfterwards(host, path, fd, { bytes, reading, byIndex: counted.countedBy === 'wal-index' });
  return { ...seen, header, ...counted, ...after, failure: counted.walk?.failure };
}

/** Whole frames behind the header of a log. */
export function wholeFrames(walBytes: number, header: WalHeader): number {
  if (header.pageSize === 0) return 0;
  return Math.max(0, Math.floor((walBytes - WAL_HEADER_BYTES) / (FRAME_HEADER_BYTES + header.pageSize)));
}

function count(
  host: Host,
  path: string,
  fd: number,
  { header, index, walkLimit, alone }: SnapshotOptions & { header: WalHeader; index: WalIndexHeader | undefined },
): Pick<LogSnapshot, 'countedBy' | 'counts' | 'walk' | 'describesIt' | 'unreachable'> {
  const describesIt = index?.salts.every((salt, at) => salt === header.salts[at]) ?? false;
  // Begun anew: the wal-index has new salts already, the log gets them with its next frame. All that is in it was checkpointed.
  if (!alone && index !== undefined && (describesIt || index.mxFrame === 0)) {
    const firstPages = describesIt ? firstPagesOf(host, path, fd, header, index) : undefined;
    const { mxFrame, pageCount } = index;
    const counts = { validFrames: mxFrame, lastCommitFrame: mxFrame, commitPages: mxFrame === 0 ? 0 : pageCount, firstPages };
    return { countedBy: 'wal-index', counts, walk: undefined, describesIt, unreachable: 0 };
  }
  if (!header.valid) return { countedBy: 'nothing', counts: undefined, walk: undefined, describesIt, unreachable: 0 };
  const walk = walkFrames(host, fd, header, walkLimit);
  // Behind the frames of one who is writing lies what he has not finished; of the dead it is known.
  const unreachable =
    alone && walk.complete ? unreachableIn(host, fd, header, { walk, walkLimit, index: describesIt ? index : undefined }) : 0;
  return { countedBy: 'walk', counts: walk, walk, describesIt, unreachable };
}

/** What a walk did not reach though it was committed: by the marks of the frames themselves, or as the wal-index counted them. */
function unreachableIn(
  host: Host,
  fd: number,
  header: WalHeader,
  { walk, walkLimit, index }: { walk: Walk; walkLimit: number; index: WalIndexHeader | undefined },
): number {
  const last = Math.max(lastCommitBehind(host, fd, header, walk.validFrames, walkLimit), index?.mxFrame ?? 0);
  return Math.max(0, last - walk.lastCommitFrame);
}

function firstPagesOf(host: Host, path: string, fd: number, header: WalHeader, index: WalIndexHeader): Walk['firstPages'] {
  const frames = lookInto(host, `${path}-shm`, (shm) => framesOfPageOne(host, shm.fd, index.mxFrame));
  if (frames === undefined || frames instanceof Unreadable) return undefined;
  const first = pageOneIn(host, fd, header, frames.first);
  const last = pageOneIn(host, fd, header, frames.last);
  return first && last ? { first, last } : undefined;
}

/** Page 1 as that frame holds it; undefined unless the frame says of itself that it does, in this log. */
function pageOneIn(host: Host, fd: number, header: WalHeader, frame: number): FirstPage | undefined {
  const bytes = new Uint8Array(FRAME_HEADER_BYTES + FIRST_PAGE_BYTES);
  const offset = WAL_HEADER_BYTES + (frame - 1) * (FRAME_HEADER_BYTES + header.pageSize);
  if (host.read(fd, bytes, 0, bytes.length, offset) < bytes.length) return undefined;
  const view = new DataView(bytes.buffer);
  if (view.getUint32(0) !== 1 || view.getUint32(8) !== header.salts[0] || view.getUint32(12) !== header.salts[1])
    return undefined;
  return parseFirstPage(frame, view, FRAME_HEADER_BYTES);
}

/** What did not stay as it was: the log was begun anew, or the wal-index that did not describe it meanwhile does. */
function sameAfterwards(
  host: Host,
  path: string,
  fd: number,
  before: { bytes: Uint8Array; reading: WalIndexReading; byIndex: boolean },
): Pick<LogSnapshot, 'torn' | 'steady'> {
  const bytes = new Uint8Array(WAL_HEADER_BYTES);
  const got = host.read(fd, bytes, 0, WAL_HEADER_BYTES, 0);
  const sameLog = got === WAL_HEADER_BYTES && bytes.every((byte, at) => byte === before.bytes[at]);
  const steady = sameLog && isSame(lookAtIndex(host, path), before.reading);
  return { torn: !sameLog || (!before.byIndex && !steady), steady };
}

function isSame(now: WalIndexReading, before: WalIndexReading): boolean {
  if (now.state !== 'valid' || before.state !== 'valid') return now.state === before.state;
  const { mxFrame, pageCount, salts } = now.header;
  const { header } = before;
  return mxFrame === header.mxFrame && pageCount === header.pageCount && salts.every((salt, at) => salt === header.salts[at]);
}

/** A log whose wal-index is out of reach can be counted all the same. */
export function lookAtIndex(host: Host, path: string): WalIndexReading {
  const reading = lookInto(host, `${path}-shm`, ({ fd }) => readWalIndex(host, fd));
  if (!(reading instanceof Unreadable)) return reading;
  return reading.why === 'absent' ? { state: 'absent' } : { state: 'unreadable', reason: reading.reason };
}
