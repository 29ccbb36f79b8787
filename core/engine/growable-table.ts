// Lifts the maximum off a WebAssembly module's function table, so that callbacks can be added to a build that did not expect any.
//
// Source: https://webassembly.github.io/spec/core/binary/modules.html#table-section

const HEADER_BYTES = 8;
const TABLE_SECTION = 4;
const HAS_MAXIMUM = 1;

function readUnsigned(bytes: Uint8Array, at: number): { value: number; next: number } {
  let value = 0;
  for (let shift = 0, next = at; ; shift += 7) {
    const byte = bytes[next++] as number;
    value |= (byte & 0x7f) << shift;
    if ((byte & 0x80) === 0) return { value, next };
  }
}

/** The same module with a table that may grow; the bytes as they are if their table has no maximum. */
export function withGrowableTable(wasm: Uint8Array): Uint8Array<ArrayBuffer> {
  for (let at = HEADER_BYTES; at < wasm.length; ) {
    const id = wasm[at] as number;
    const { value: size, next: body } = readUnsigned(wasm, at + 1);
    if (id === TABLE_SECTION) return patchSection(wasm, at, body, size);
    at = body + size;
  }
  return Uint8Array.from(wasm);
}

/** The section holds: how many tables, then for each the element type, a flag, the minimum, and a maximum if the flag says so. */
function patchSection(wasm: Uint8Array, start: number, body: number, size: number): Uint8Array<ArrayBuffer> {
  const flagAt = readUnsigned(wasm, body).next + 1;
  if (wasm[flagAt] !== HAS_MAXIMUM) return Uint8Array.from(wasm);
  const minimumEnd = readUnsigned(wasm, flagAt + 1).next;
  const content = [...wasm.subarray(body, flagAt), 0, ...wasm.subarray(flagAt + 1, minimumEnd)];
  const maximumEnd = readUnsigned(wasm, minimumEnd).next;
  const others = wasm.subarray(maximumEnd, body + size);
  // All of it stays below 128 bytes, so the section's length is one byte.
  const section = [TABLE_SECTION, content.length + others.length, ...content, ...others];
  const rest = wasm.subarray(body + size);
  const patched = new Uint8Array(start + section.length + rest.length);
  patched.set(wasm.subarray(0, start));
  patched.set(section, start);
  patched.set(rest, start + section.length);
  return patched;
}
