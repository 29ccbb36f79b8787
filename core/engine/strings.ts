// C strings in the engine's memory, to and from JavaScript.

import type { EngineMemory, Pointer, SqliteFunctions } from './engine.ts';

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The NUL-terminated text at a pointer; undefined for NULL. */
export function readCString(memory: EngineMemory, pointer: Pointer): string | undefined {
  if (pointer === 0) return undefined;
  const bytes = memory.u8;
  const end = bytes.indexOf(0, pointer);
  return decoder.decode(bytes.subarray(pointer, end));
}

/** UTF-8 in a block of the engine's memory, with a NUL behind it. */
export interface CString {
  pointer: Pointer;
  /** Bytes without the NUL. */
  length: number;
}

/** A NUL-terminated copy, to be freed by the caller. Throws when the engine's memory is used up. */
export function allocateCString(memory: EngineMemory, c: SqliteFunctions, text: string): CString {
  const encoded = encoder.encode(text);
  const pointer = c.malloc(encoded.length + 1);
  if (pointer === 0) throw new RangeError(`no memory left for a text of ${encoded.length} bytes`);
  memory.u8.set(encoded, pointer);
  memory.u8[pointer + encoded.length] = 0;
  return { pointer, length: encoded.length };
}

/** Lends a NUL-terminated copy to `use` and frees it afterwards. */
export function withCString<T>(
  engine: { memory: EngineMemory; c: SqliteFunctions },
  text: string,
  use: (pointer: Pointer, length: number) => T,
): T {
  const { pointer, length } = allocateCString(engine.memory, engine.c, text);
  try {
    return use(pointer, length);
  } finally {
    engine.c.free(pointer);
  }
}
