// Which values go to which parameters of a statement: by position, by name, or both.

import { OK } from '../../vfs/codes.ts';
import type { Pointer } from '../engine/engine.ts';
import { readCString } from '../engine/strings.ts';
import { type ValueError, valueError } from '../error.ts';
import type { Runtime } from './runtime.ts';
import { bytesOf } from './values.ts';

/** What can be given to run, get, all, iterate and bind: values, arrays of values, and one object of named values. */
export type BindArguments = readonly unknown[];

export class Parameters {
  readonly count: number;
  readonly #runtime: Runtime;
  /** Indexes of `?` and `?NNN`, in their order. */
  readonly #positional: number[] = [];
  readonly #named: { index: number; name: string }[] = [];

  constructor(runtime: Runtime, stmt: Pointer) {
    const { c, memory } = runtime.engine;
    this.#runtime = runtime;
    this.count = c.bindParameterCount(stmt);
    for (let index = 1; index <= this.count; index++) {
      const name = readCString(memory, c.bindParameterName(stmt, index));
      if (name === undefined || name.startsWith('?')) this.#positional.push(index);
      else this.#named.push({ index, name: name.slice(1) });
    }
  }

  /**
   * The values in the order of the parameters. Reading them out of objects can run code of the caller's (getters, proxies),
   * so it is done before anything is bound.
   */
  inOrder(args: BindArguments): BindArguments {
    if (this.#named.length === 0 && args.length === this.count && !hasCollection(args)) return args;
    const { values, names } = collect(args);
    this.#demandCount(values.length);
    if (this.#named.length > 0 && names === undefined) throw valueError(`Missing named parameters: ${this.#list()}`);
    const ordered: unknown[] = new Array(this.count);
    for (let at = 0; at < values.length; at++) ordered[(this.#positional[at] as number) - 1] = values[at];
    for (const { index, name } of this.#named) {
      const given = names as Record<string, unknown>;
      if (!Object.hasOwn(given, name)) throw valueError(`Missing named parameter "${name}"`);
      ordered[index - 1] = given[name];
    }
    return ordered;
  }

  /** Binds what `inOrder` gave. Throws, and leaves nothing bound, for what SQLite cannot store. */
  bind(stmt: Pointer, ordered: BindArguments, destructor: number): number {
    const { binder, engine } = this.#runtime;
    try {
      for (let index = 0; index < ordered.length; index++) {
        const result = binder.bind(stmt, index + 1, ordered[index], destructor);
        if (result !== OK) return result;
      }
      return OK;
    } catch (error) {
      engine.c.clearBindings(stmt);
      throw error;
    }
  }

  #demandCount(given: number): void {
    const wanted = this.#positional.length;
    if (given === wanted) return;
    throw valueError(`Too ${given < wanted ? 'few' : 'many'} parameter values were provided: ${given} for ${wanted}`);
  }

  #list(): string {
    return this.#named.map(({ name }) => name).join(', ');
  }
}

/** An argument that stands for several values. */
function isCollection(value: unknown): boolean {
  return typeof value === 'object' && value !== null && bytesOf(value) === undefined;
}

function hasCollection(args: BindArguments): boolean {
  for (let index = 0; index < args.length; index++) if (typeof args[index] === 'object' && isCollection(args[index])) return true;
  return false;
}

function collect(args: BindArguments): { values: unknown[]; names: object | undefined } {
  const values: unknown[] = [];
  let names: object | undefined;
  for (const arg of args) {
    if (Array.isArray(arg)) values.push(...arg);
    else if (isCollection(arg) && isPlain(arg as object)) {
      if (names) throw tooManyObjects();
      names = arg as object;
    } else values.push(arg);
  }
  return { values, names };
}

/** Dates, Maps and class instances are not bags of names; they are refused as values, with their class in the message. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function tooManyObjects(): ValueError {
  return valueError('Named parameters were given in two objects; put them into one');
}
