// The rules by which JavaScript values become SQLite values and back: integers exact or an error, text UTF-8, blobs bytes.

import type { TextCodec } from '../../vfs/host.ts';
import type { EngineMemory, Pointer, SqliteFunctions } from '../engine/engine.ts';
import { type ValueError, valueError } from '../error.ts';
import type { Scratch } from './scratch.ts';

/** A value that SQLite stores. Integers are numbers, or BigInts where asked for or bound as such. */
export type SqlValue = null | number | bigint | string | Uint8Array;
/** What can be bound: also undefined (NULL) and every view of bytes. */
export type Bindable = SqlValue | undefined | ArrayBuffer | ArrayBufferView;

/** Datatype codes (https://sqlite.org/c3ref/c_blob.html). */
export const TYPE = { INTEGER: 1, FLOAT: 2, TEXT: 3, BLOB: 4, NULL: 5 } as const;

/** Destructors of bound memory: it stays as it is until we say so, or SQLite makes a copy at once. */
export const STATIC = 0;
export const TRANSIENT = -1;

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
/** Up to here a loop over the bytes beats a call to the decoder. */
const SHORT_TEXT = 12;

/** V8's strings end at 2^29 - 24 units, others later; below this none has a limit. */
const LONGEST_SAFE_TEXT = 2 ** 28;

const char = String.fromCharCode;

export function isInt64(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX;
}

export function isNegativeZero(value: number): boolean {
  return value === 0 && 1 / value < 0;
}

/** The bytes behind an ArrayBuffer or a view, without copying; undefined for anything else. */
export function bytesOf(value: object): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return undefined;
}

export function loneSurrogates(where: string): ValueError {
  return valueError(
    `${where} has a lone surrogate (half of a character), which UTF-8 cannot hold; repair it with toWellFormed() or store bytes`,
  );
}

export function inexactInteger(where: string, exact: bigint): ValueError {
  return valueError(
    `${where} is the integer ${exact}, which a JavaScript number cannot hold exactly; ask for BigInts with safeIntegers()`,
  );
}

export function outOfMemory(bytes: number): ValueError {
  return valueError(`a value of ${bytes} bytes does not fit into the memory of the engine (2 GiB in all)`);
}

/** Reads texts and blobs out of the engine's memory. */
export class ValueReader {
  readonly memory: EngineMemory;
  readonly c: SqliteFunctions;
  readonly #decode: TextCodec['decode'];

  constructor(memory: EngineMemory, c: SqliteFunctions, codec: TextCodec | undefined) {
    this.memory = memory;
    this.c = c;
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    this.#decode = codec ? codec.decode : (bytes, start, end) => decoder.decode(bytes.subarray(start, end));
  }

  text(pointer: Pointer, length: number): string {
    const bytes = this.memory.u8;
    if (length > SHORT_TEXT) return this.#long(bytes, pointer, length);
    let text = '';
    let at = pointer;
    const end = pointer + length;
    for (; at + 4 <= end; at += 4) {
      const a = bytes[at] as number;
      const b = bytes[at + 1] as number;
      const c = bytes[at + 2] as number;
      const d = bytes[at + 3] as number;
      if ((a | b | c | d) > 127) return this.#decode(bytes, pointer, end);
      text += char(a, b, c, d);
    }
    for (; at < end; at++) {
      const unit = bytes[at] as number;
      if (unit > 127) return this.#decode(bytes, pointer, end);
      text += char(unit);
    }
    return text;
  }

  #long(bytes: Uint8Array, pointer: Pointer, length: number): string {
    if (length < LONGEST_SAFE_TEXT) return this.#decode(bytes, pointer, pointer + length);
    try {
      return this.#decode(bytes, pointer, pointer + length);
    } catch {
      throw valueError(
        `a text of ${length} bytes is longer than a string of this runtime can be; read it in parts with substr(), or CAST it AS BLOB`,
      );
    }
  }

  blob(pointer: Pointer, length: number): Uint8Array {
    return length === 0 ? new Uint8Array(0) : this.memory.u8.slice(pointer, pointer + length);
  }

  /** One column of the row that the statement stands on. */
  column(stmt: Pointer, index: number, wide: boolean): SqlValue {
    const { c } = this;
    switch (c.columnType(stmt, index)) {
      case TYPE.INTEGER: {
        if (wide) return c.columnInt64(stmt, index);
        const value = c.columnDouble(stmt, index);
        if (Number.isSafeInteger(value)) return value;
        throw inexactInteger(`column ${index + 1}`, c.columnInt64(stmt, index));
      }
      case TYPE.FLOAT:
        return c.columnDouble(stmt, index);
      case TYPE.TEXT: {
        const pointer = c.columnText(stmt, index);
        return this.text(pointer, c.columnBytes(stmt, index));
      }
      case TYPE.BLOB: {
        const pointer = c.columnBlob(stmt, index);
        return this.blob(pointer, c.columnBytes(stmt, index));
      }
      default:
        return null;
    }
  }

  /** One argument of a user-defined function. */
  argument(value: Pointer, wide: boolean): SqlValue {
    const { c } = this;
    switch (c.valueType(value)) {
      case TYPE.INTEGER: {
        if (wide) return c.valueInt64(value);
        const number = c.valueDouble(value);
        if (Number.isSafeInteger(number)) return number;
        throw inexactInteger('an argument', c.valueInt64(value));
      }
      case TYPE.FLOAT:
        return c.valueDouble(value);
      case TYPE.TEXT: {
        const pointer = c.valueText(value);
        return this.text(pointer, c.valueBytes(value));
      }
      case TYPE.BLOB: {
        const pointer = c.valueBlob(value);
        return this.blob(pointer, c.valueBytes(value));
      }
      default:
        return null;
    }
  }
}

/** Binds values to parameters. The memory of texts and blobs is scratch, unless SQLite is told to copy. */
export class ValueBinder {
  readonly #c: SqliteFunctions;
  readonly #scratch: Scratch;

  constructor(c: SqliteFunctions, scratch: Scratch) {
    this.#c = c;
    this.#scratch = scratch;
  }

  /** Answers a result code. Throws ValueError for what SQLite cannot store. */
  bind(stmt: Pointer, index: number, value: unknown, destructor: number): number {
    switch (typeof value) {
      case 'number':
        return this.#bindNumber(stmt, index, value);
      case 'string': {
        const at = this.#scratch.putText(value);
        if (at === undefined) throw loneSurrogates(`the text for parameter ${index}`);
        if (at === 0) throw outOfMemory(value.length);
        return this.#c.bindText(stmt, index, at, this.#scratch.length, destructor);
      }
      case 'bigint':
        if (!isInt64(value)) throw valueError(`parameter ${index} is ${value}, which does not fit into 64 bits`);
        return this.#c.bindInt64(stmt, index, value);
      case 'undefined':
        return this.#c.bindNull(stmt, index);
      case 'object': {
        if (value === null) return this.#c.bindNull(stmt, index);
        const bytes = bytesOf(value);
        if (bytes) return this.#bindBlob(stmt, index, bytes, destructor);
      }
    }
    throw valueError(`parameter ${index} is ${describe(value)}; SQLite stores numbers, strings, bigints, bytes and null`);
  }

  #bindNumber(stmt: Pointer, index: number, value: number): number {
    if ((value | 0) === value) {
      return isNegativeZero(value) ? this.#c.bindDouble(stmt, index, value) : this.#c.bindInt(stmt, index, value);
    }
    return Number.isSafeInteger(value) ? this.#c.bindInt64(stmt, index, BigInt(value)) : this.#c.bindDouble(stmt, index, value);
  }

  #bindBlob(stmt: Pointer, index: number, bytes: Uint8Array, destructor: number): number {
    // A NULL pointer would bind NULL, so no bytes at all need a call of their own.
    if (bytes.length === 0) return this.#c.bindZeroblob(stmt, index, 0);
    const at = this.#scratch.putBytes(bytes);
    if (at === 0) throw outOfMemory(bytes.length);
    return this.#c.bindBlob(stmt, index, at, bytes.length, destructor);
  }
}

export function describe(value: unknown): string {
  if (typeof value === 'object' && value !== null) return `an object (${value.constructor?.name ?? 'no prototype'})`;
  return `a ${typeof value}`;
}
