// Short-lived memory for one call into SQLite, its bound texts and blobs: taken in order, given back all at once.

import type { Engine, EngineMemory, Pointer, SqliteFunctions } from '../engine/engine.ts';

/** Holds the values of nearly every statement; what does not fit gets a block of its own for the one call. */
const BLOCK_SIZE = 65536;
/** Up to here a loop over the characters beats a call to the encoder. */
const SHORT_TEXT = 48;

/** UTF-8 needs at most three bytes for one UTF-16 unit. */
const MOST_BYTES_PER_UNIT = 3;
/** Up to here memory for the worst case is reserved. */
const MOST_RESERVED = 16 * 1024 * 1024;

const encoder = new TextEncoder();

export class Scratch {
  /** Bytes of the text or blob that was put last. */
  length = 0;
  readonly #memory: EngineMemory;
  readonly #c: SqliteFunctions;
  readonly #block: Pointer;
  #used = 0;
  readonly #large: Pointer[] = [];
  /** For each call in progress, how much was used when it began: bytes of the block, and blocks of their own. */
  readonly #frames: number[] = [];

  constructor(engine: Engine) {
    this.#memory = engine.memory;
    this.#c = engine.c;
    this.#block = engine.c.malloc(BLOCK_SIZE);
  }

  /** A call begins. Calls nest: a function of SQL may use another database of the same thread. */
  enter(): void {
    this.#frames.push(this.#used, this.#large.length);
  }

  /** The call that began last ends: what it put is gone, what those around it put stays. */
  leave(): void {
    const large = this.#frames.pop() as number;
    this.#used = this.#frames.pop() as number;
    while (this.#large.length > large) this.#c.free(this.#large.pop() as Pointer);
  }

  /** Puts UTF-8 there; `length` says how many bytes. 0 when there is no memory, undefined when the text has lone surrogates. */
  putText(text: string): Pointer | undefined {
    const { length } = text;
    if (length <= SHORT_TEXT && this.#used + length <= BLOCK_SIZE) {
      const at = this.#block + this.#used;
      const bytes = this.#memory.u8;
      let index = 0;
      for (; index < length; index++) {
        const unit = text.charCodeAt(index);
        if (unit > 127) break;
        bytes[at + index] = unit;
      }
      if (index === length) {
        this.#used += length;
        this.length = length;
        return at;
      }
    }
    return this.#putEncoded(text);
  }

  putBytes(bytes: Uint8Array): Pointer {
    const at = this.#take(bytes.length);
    if (at !== 0) this.#memory.u8.set(bytes, at);
    this.length = bytes.length;
    return at;
  }

  #putEncoded(text: string): Pointer | undefined {
    const most = text.length * MOST_BYTES_PER_UNIT;
    // A text too long for room to spare is nearly always ASCII; only where that guess was short it is encoded twice.
    const reserved = most <= MOST_RESERVED ? most : text.length;
    let at = this.#take(reserved);
    if (at === 0) return 0;
    const { read, written } = encoder.encodeInto(text, this.#memory.u8.subarray(at, at + reserved));
    this.length = written;
    if (written !== text.length && !text.isWellFormed()) return undefined;
    if (read === text.length) {
      if (at + reserved === this.#block + this.#used) this.#used -= reserved - written;
      return at;
    }
    const encoded = encoder.encode(text);
    at = this.#take(encoded.length);
    if (at !== 0) this.#memory.u8.set(encoded, at);
    this.length = encoded.length;
    return at;
  }

  #take(size: number): Pointer {
    if (this.#used + size <= BLOCK_SIZE) {
      const at = this.#block + this.#used;
      this.#used += size;
      return at;
    }
    const at = this.#c.malloc(size);
    if (at !== 0) this.#large.push(at);
    return at;
  }
}
