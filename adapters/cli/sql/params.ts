// Values for parameters, from the command line to each statement that asks for them.

import { isInt64 } from '../../../core/database/values.ts';
import { CallError } from '../call-error.ts';
import type { SqlText } from './split.ts';

type ParamValue = null | number | bigint | string | Uint8Array;

const NAMED = /^[:@$]?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s;
const INTEGER = /^-?(0|[1-9]\d*)$/;
const REAL = /^-?\d+\.\d+([eE][+-]?\d+)?$/;
const BLOB = /^[xX]'(.*)'$/s;
const QUOTED = /^'((?:[^']|'')*)'$/s;

export class Params {
  readonly #positional: ParamValue[] = [];
  readonly #named = new Map<string, ParamValue>();
  readonly #unusedNames: Set<string>;
  #mostUsed = 0;

  /** @throws CallError for a value that cannot be what it looks like. */
  constructor(given: readonly string[]) {
    for (const text of given) {
      const [, name, value] = NAMED.exec(text) ?? [];
      if (name === undefined) this.#positional.push(readValue(text));
      else if (this.#named.has(name)) throw new CallError(`the parameter ${name} was given twice`);
      else this.#named.set(name, readValue(value as string));
    }
    this.#unusedNames = new Set(this.#named.keys());
  }

  /** Remembers what this statement uses. */
  note(statement: SqlText): void {
    this.#mostUsed = Math.max(this.#mostUsed, statement.positional);
    for (const name of statement.named) this.#unusedNames.delete(name);
  }

  /** What no noted statement uses, as a message: most likely a slip of the pen. */
  get unused(): string | undefined {
    const [name] = this.#unusedNames;
    if (name !== undefined) return `no statement has a parameter named ${name}`;
    const given = this.#positional.length;
    if (given > this.#mostUsed) return `values for ? were given: ${given}; the most that a statement takes: ${this.#mostUsed}`;
    return undefined;
  }

  /** The arguments for this statement. What is missing is for the statement to complain about. */
  for(statement: SqlText): unknown[] {
    const values: unknown[] = this.#positional.slice(0, statement.positional);
    const names = statement.named.filter((name) => this.#named.has(name));
    if (names.length > 0) values.push(Object.fromEntries(names.map((name) => [name, this.#named.get(name)])));
    return values;
  }
}

/** Only what prints the same again is taken for a number, so that 007 and +49 stay what they were. */
function readValue(text: string): ParamValue {
  if (text === 'NULL') return null;
  if (INTEGER.test(text)) return integerOf(text);
  if (REAL.test(text)) return realOf(text);
  const blob = BLOB.exec(text);
  if (blob) return blobOf(text, blob[1] as string);
  const quoted = QUOTED.exec(text);
  return quoted ? (quoted[1] as string).replaceAll("''", "'") : text;
}

function integerOf(text: string): bigint {
  const value = BigInt(text);
  if (isInt64(value)) return value;
  throw new CallError(`the parameter value ${text} does not fit into 64 bits; as a text it is written "'${text}'"`);
}

function realOf(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value)) return value;
  throw new CallError(`the parameter value ${text} is beyond the reals; as a text it is written "'${text}'"`);
}

function blobOf(text: string, digits: string): Uint8Array {
  if (/^([0-9a-fA-F]{2})*$/.test(digits)) return new Uint8Array(Buffer.from(digits, 'hex'));
  throw new CallError(`the parameter value ${text} is not a blob: between the quotes are pairs of hexadecimal digits`);
}
