// SQL values as text that loses nothing: integers to the last digit, reals told from integers, blobs byte by byte.

import type { SqlValue } from '../../../core/database/values.ts';

/** Integers are read as BigInts, so a number is always a real. It prints with a point or an exponent. */
export function realText(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? 'Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** As SQL writes it. */
export function blobText(bytes: Uint8Array): string {
  return `x'${hex(bytes)}'`;
}

export function isNumber(value: SqlValue): boolean {
  return typeof value === 'bigint' || typeof value === 'number';
}
