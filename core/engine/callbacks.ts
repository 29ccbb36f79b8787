// JavaScript functions as C callbacks: a tiny WebAssembly module, written byte by byte, whose exports call its imports.
//
// A function table takes only functions that WebAssembly made. The module also turns 64-bit integers into doubles on the
// way, since a BigInt for each file offset would be allocated and thrown away.

import type { Callback, Signature } from './engine.ts';

const I32 = 0x7f;
const I64 = 0x7e;
const F64 = 0x7c;
const FUNCTION_TYPE = 0x60;
const LOCAL_GET = 0x20;
const CALL = 0x10;
const END = 0x0b;
const F64_CONVERT_I64_S = 0xb9;

function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest === 0 ? low : low | 0x80);
  } while (rest !== 0);
  return bytes;
}

function name(text: string): number[] {
  return [...unsigned(text.length), ...Array.from(text, (char) => char.charCodeAt(0))];
}

function vector(items: readonly number[][]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

function section(id: number, content: number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

function valueType(letter: string, wide: number): number {
  if (letter === 'i') return I32;
  if (letter === 'd') return F64;
  if (letter === 'I') return wide;
  throw new Error(`no such type in a callback signature: ${letter}`);
}

function functionType(signature: Signature, wide: number): number[] {
  const [result = 'v', ...parameters] = signature;
  const results = result === 'v' ? [] : [[valueType(result, wide)]];
  return [FUNCTION_TYPE, ...vector(parameters.map((letter) => [valueType(letter, wide)])), ...vector(results)];
}

function body(signature: Signature, importIndex: number): number[] {
  const code = [0];
  [...signature.slice(1)].forEach((letter, index) => {
    code.push(LOCAL_GET, ...unsigned(index));
    if (letter === 'I') code.push(F64_CONVERT_I64_S);
  });
  code.push(CALL, ...unsigned(importIndex), END);
  return [...unsigned(code.length), ...code];
}

/** Answers one WebAssembly function for each callback, of the C type that its signature says. */
// biome-ignore lint/complexity/noBannedTypes: WebAssembly's own type for an exported function is Function
export function makeCallable(callbacks: readonly Callback[]): Function[] {
  const signatures = callbacks.map((callback) => callback.signature);
  const count = signatures.length;
  // Types 0..n-1 are what JavaScript sees, n..2n-1 what C sees; function i imports type i and function n+i has type n+i.
  const bytes = new Uint8Array([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector([...signatures.map((s) => functionType(s, F64)), ...signatures.map((s) => functionType(s, I64))])),
    ...section(2, vector(signatures.map((_, index) => [...name('f'), ...name(String(index)), 0, ...unsigned(index)]))),
    ...section(3, vector(signatures.map((_, index) => unsigned(count + index)))),
    ...section(7, vector(signatures.map((_, index) => [...name(String(index)), 0, ...unsigned(count + index)]))),
    ...section(10, vector(signatures.map((signature, index) => body(signature, index)))),
  ]);
  const imports = Object.fromEntries(callbacks.map((callback, index) => [String(index), callback.call]));
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { f: imports as WebAssembly.ModuleImports });
  // biome-ignore lint/complexity/noBannedTypes: as above
  return signatures.map((_, index) => exports[String(index)] as Function);
}
