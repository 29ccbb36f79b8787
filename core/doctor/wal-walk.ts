// A walk along the frames of a write-ahead log, as SQLite's own recovery does it: in blocks, so that memory stays bounded.
//
// Source: https://sqlite.org/fileformat2.html#walformat

import type { Host } from '../../vfs/host.ts';
import {
  addWords,
  type FirstPage,
  FRAME_HEADER_BYTES,
  isBigEndian,
  NATIVE_IS_BIG_ENDIAN,
  parseFirstPage,
  WAL_HEADER_BYTES,
  type WalHeader,
} from './wal-file.ts';

const BLOCK_BYTES = 1 << 20;

export interface Walk {
  /** Frames in a row, from the first, whose salts and cumulative checksum are right. */
  readonly validFrames: number;
  /** The last of them that ends a transaction; what is behind it was never committed. 0 if there is none. */
  readonly lastCommitFrame: number;
  /** Pages of the database after that commit. */
  readonly commitPages: number;
  /** The first and the last committed copy of page 1. */
  readonly firstPages: { readonly first: FirstPage; readonly last: FirstPage } | undefined;
  /** False if the walk ended at its limit and not at the end of what is valid. */
  readonly complete: boolean;
  /** -errno, if reading failed. */
  readonly failure: number | undefined;
}

/** Walks from the first frame as SQLite's own recovery does, over at most `limit` bytes. */
export function walkFrames(host: Host, fd: number, header: WalHeader, limit: number): Walk {
  const frameBytes = FRAME_HEADER_BYTES + header.pageSize;
  const framesAtOnce = Math.max(1, Math.floor(BLOCK_BYTES / frameBytes));
  const block = new Uint8Array(framesAtOnce * frameBytes);
  const walker = new Walker(header, block);
  const most = Math.floor(limit / frameBytes);
  let failure: number | undefined;
  let goesOn = true;
  while (goesOn && walker.validFrames < most) {
    const offset = WAL_HEADER_BYTES + walker.validFrames * frameBytes;
    const got = host.read(fd, block, 0, block.length, offset);
    if (got < 0) {
      failure = got;
      break;
    }
    const frames = Math.min(Math.floor(got / frameBytes), most - walker.validFrames);
    goesOn = frames > 0 && walker.take(frames);
  }
  return { ...walker.result(), complete: !goesOn && failure === undefined, failure };
}

class Walker {
  validFrames = 0;
  #lastCommitFrame = 0;
  #commitPages = 0;
  #first: FirstPage | undefined;
  #last: FirstPage | undefined;
  /** Page 1 in the transaction that has not ended yet. */
  #open: { first: FirstPage; last: FirstPage } | undefined;
  #sum: [number, number];
  readonly #header: WalHeader;
  readonly #view: DataView;
  readonly #words: Uint32Array;

  constructor(header: WalHeader, block: Uint8Array) {
    this.#header = header;
    this.#view = new DataView(block.buffer);
    this.#words = new Uint32Array(block.buffer);
    this.#sum = [...header.checksum];
  }

  /** The next frames, from the start of the block. False at the first that is not valid. */
  take(frames: number): boolean {
    const frameBytes = FRAME_HEADER_BYTES + this.#header.pageSize;
    for (let index = 0; index < frames; index++) if (!this.#takeOne(index * frameBytes)) return false;
    return true;
  }

  result(): Omit<Walk, 'complete' | 'failure'> {
    const firstPages = this.#first && this.#last ? { first: this.#first, last: this.#last } : undefined;
    const { validFrames } = this;
    return { validFrames, lastCommitFrame: this.#lastCommitFrame, commitPages: this.#commitPages, firstPages };
  }

  #takeOne(at: number): boolean {
    const view = this.#view;
    const { salts, pageSize } = this.#header;
    const page = view.getUint32(at);
    const commitPages = view.getUint32(at + 4);
    if (page === 0 || view.getUint32(at + 8) !== salts[0] || view.getUint32(at + 12) !== salts[1]) return false;
    // The first 8 bytes of the frame's header, and its page.
    const begun = this.#add(this.#sum, at, 8);
    const sum = this.#add(begun, at + FRAME_HEADER_BYTES, pageSize);
    if (sum[0] !== view.getUint32(at + 16) || sum[1] !== view.getUint32(at + 20)) return false;
    this.#sum = sum;
    this.validFrames++;
    if (page === 1) {
      const seen = parseFirstPage(this.validFrames, view, at + FRAME_HEADER_BYTES);
      this.#open = { first: this.#open?.first ?? seen, last: seen };
    }
    if (commitPages !== 0) this.#commit(commitPages);
    return true;
  }

  #commit(commitPages: number): void {
    this.#lastCommitFrame = this.validFrames;
    this.#commitPages = commitPages;
    if (this.#open) {
      this.#first ??= this.#open.first;
      this.#last = this.#open.last;
      this.#open = undefined;
    }
  }

  #add(sum: [number, number], at: number, bytes: number): [number, number] {
    const bigEndian = isBigEndian(this.#header.magic);
    if (bigEndian !== NATIVE_IS_BIG_ENDIAN) return addWords(sum, this.#view, at, bytes, bigEndian);
    const words = this.#words;
    let [first, second] = sum;
    for (let index = at / 4; index < (at + bytes) / 4; index += 2) {
      first = (first + (words[index] as number) + second) | 0;
      second = (second + (words[index + 1] as number) + first) | 0;
    }
    return [first >>> 0, second >>> 0];
  }
}
