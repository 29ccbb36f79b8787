// A wal-index (`-shm`) read as a file: its header, how far checkpoints came, the readers' marks, and which page each frame holds.
//
// Source: https://sqlite.org/walformat.html#the_wal_index_file_format. All numbers are in the byte order of the machine.

import type { Host } from '../../vfs/host.ts';
import { Unreadable } from './read-file.ts';
import { addWords, NATIVE_IS_BIG_ENDIAN } from './wal-file.ts';

export interface WalIndexHeader {
  readonly pageSize: number;
  /** The last frame that was committed; readers that begin now read to here. */
  readonly mxFrame: number;
  /** Pages of the database at that commit. */
  readonly pageCount: number;
  /** The salts of the log that it describes, as the log's own header has them. */
  readonly salts: readonly [number, number];
  /** Frames that checkpoints have copied into the database file and synced. */
  readonly nBackfill: number;
  /** Frames that a checkpoint began to copy. */
  readonly nBackfillAttempted: number;
  /** By reader slot: the last frame that a reader in it may read; undefined where the slot is not in use. */
  readonly readMarks: readonly (number | undefined)[];
}

/**
 * - `absent`: no file. `empty`: too short for a header, or nobody has filled it in yet.
 * - `invalid`: a torn or foreign header, as a crash can leave it; the next one to open the database rebuilds it.
 * - `busy`: it changed at every look; ask again.
 * - `valid`: two equal copies with the right checksum.
 */
export type WalIndexReading =
  | { readonly state: 'absent' | 'empty' | 'invalid' | 'busy' }
  | { readonly state: 'unreadable'; readonly reason: string }
  | { readonly state: 'valid'; readonly header: WalIndexHeader };

const VERSION = 3007000;
const COPY_BYTES = 48;
const HEADER_BYTES = 136;
const AT = { isInit: 12, bigEndian: 13, pageSize: 14, mxFrame: 16, pageCount: 20, salts: 32, checksum: 40 } as const;
const BACKFILL_AT = 96;
const READ_MARKS_AT = 100;
const ATTEMPTED_AT = 128;
const READER_SLOTS = 5;
const MARK_NOT_USED = 0xffffffff;
/** A writer needs nanoseconds between the two copies; who does not agree with himself after this was stopped there. */
const TRIES = 6;
const PAUSE_MS = 2;

/** Each region of 32 KiB holds the pages of 4096 frames, behind the header 34 fewer, and then a hash table. */
const REGION_BYTES = 32768;
const FRAMES_PER_REGION = 4096;
const FRAMES_IN_FIRST = FRAMES_PER_REGION - HEADER_BYTES / 4;

/** Reads until the two copies agree, a few times. */
export function readWalIndex(host: Host, fd: number): WalIndexReading {
  const bytes = new Uint8Array(HEADER_BYTES);
  let seen = '';
  let changed = false;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    if (attempt > 0) host.sleep(PAUSE_MS);
    const got = host.read(fd, bytes, 0, HEADER_BYTES, 0);
    if (got < 0) return { state: 'unreadable', reason: Unreadable.failure(host, got).reason };
    if (got < HEADER_BYTES || bytes.every((byte) => byte === 0)) return { state: 'empty' };
    const view = new DataView(bytes.buffer);
    if (copiesAgree(bytes)) {
      if (isWhole(view)) return { state: 'valid', header: parse(view) };
      if (view.getUint8(AT.isInit) === 0) return { state: 'empty' };
    }
    const now = bytes.subarray(0, 2 * COPY_BYTES).join();
    changed ||= seen !== '' && seen !== now;
    seen = now;
  }
  return { state: changed ? 'busy' : 'invalid' };
}

function copiesAgree(bytes: Uint8Array): boolean {
  for (let at = 0; at < COPY_BYTES; at++) if (bytes[at] !== bytes[at + COPY_BYTES]) return false;
  return true;
}

function isWhole(view: DataView): boolean {
  const [first, second] = addWords([0, 0], view, 0, AT.checksum, NATIVE_IS_BIG_ENDIAN);
  return (
    word(view, 0) === VERSION &&
    view.getUint8(AT.isInit) !== 0 &&
    word(view, AT.checksum) === first &&
    word(view, AT.checksum + 4) === second
  );
}

function word(view: DataView, at: number): number {
  return view.getUint32(at, !NATIVE_IS_BIG_ENDIAN);
}

function parse(view: DataView): WalIndexHeader {
  const size = view.getUint16(AT.pageSize, !NATIVE_IS_BIG_ENDIAN);
  return {
    // 65536 does not fit into 16 bits; its high half is stored in the lowest bit.
    pageSize: (size & 0xfe00) | ((size & 1) << 16),
    mxFrame: word(view, AT.mxFrame),
    pageCount: word(view, AT.pageCount),
    // Copied from the log byte by byte, so big-endian.
    salts: [view.getUint32(AT.salts), view.getUint32(AT.salts + 4)],
    nBackfill: word(view, BACKFILL_AT),
    nBackfillAttempted: word(view, ATTEMPTED_AT),
    readMarks: Array.from({ length: READER_SLOTS }, (_, slot) => {
      const mark = word(view, READ_MARKS_AT + slot * 4);
      return mark === MARK_NOT_USED ? undefined : mark;
    }),
  };
}

/** The first and the last of the first `frames` frames that hold page 1, by the index's own table; undefined where none does. */
export function framesOfPageOne(host: Host, fd: number, frames: number): { first: number; last: number } | undefined {
  const region = new Uint8Array(FRAMES_PER_REGION * 4);
  const view = new DataView(region.buffer);
  let found: { first: number; last: number } | undefined;
  let frame = 1;
  for (let index = 0; frame <= frames; index++) {
    const skip = index === 0 ? HEADER_BYTES : 0;
    const here = Math.min(index === 0 ? FRAMES_IN_FIRST : FRAMES_PER_REGION, frames - frame + 1);
    const got = host.read(fd, region, 0, here * 4, index * REGION_BYTES + skip);
    if (got < here * 4) return found;
    for (let entry = 0; entry < here; entry++) {
      if (word(view, entry * 4) === 1) found = { first: found?.first ?? frame + entry, last: frame + entry };
    }
    frame += here;
  }
  return found;
}
