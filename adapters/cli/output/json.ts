// Results as JSON: an array of objects, one row on a line, that any reader of JSON takes without rounding anything.

import type { SqlValue } from '../../../core/database/values.ts';
import type { Format, ResultPrinter } from './format.ts';
import type { Output } from './output.ts';
import { hex, realText } from './values.ts';

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
/** Allowed raw in JSON, but not on a terminal or in a script. */
const UNSAFE = /[\x7f-\x9f\u2028\u2029]/g;

export class JsonFormat implements Format {
  readonly #out: Output;

  constructor(out: Output) {
    this.#out = out;
  }

  begin(columns: readonly string[]): ResultPrinter {
    const keys = distinct(columns).map((name, index) => `${index === 0 ? '{' : ','}${quoted(name)}:`);
    const out = this.#out;
    let before = '[\n';
    return {
      row(values) {
        let line = before;
        for (let index = 0; index < keys.length; index++) line += (keys[index] as string) + jsonText(values[index] ?? null);
        out.write(`${line}}`);
        before = ',\n';
        return undefined;
      },
      end() {
        out.write(before === '[\n' ? '[]\n' : '\n]\n');
        return undefined;
      },
    };
  }
}

/** An object holds each key once: the second column of one name is called `name:2`, and so on. */
export function distinct(columns: readonly string[]): string[] {
  const taken = new Set(columns);
  const seen = new Set<string>();
  return columns.map((column) => {
    let name = column;
    for (let number = 2; seen.has(name) || (name !== column && taken.has(name)); number++) name = `${column}:${number}`;
    seen.add(name);
    return name;
  });
}

function jsonText(value: SqlValue): string {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'bigint':
      return value > MAX_SAFE || value < -MAX_SAFE ? `"${value}"` : String(value);
    case 'number':
      return Number.isFinite(value) ? realText(value) : `"${value}"`;
    case 'string':
      return quoted(value);
    default:
      return `{"$blob":"${hex(value)}"}`;
  }
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(UNSAFE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
