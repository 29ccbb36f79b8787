// JavaScript functions called from SQL: scalar functions, aggregates and window functions.
//
// Source: https://sqlite.org/appfunc.html and https://sqlite.org/windowfunctions.html#udfwinfunc

import type { Engine, Pointer } from '../engine/engine.ts';
import { allocateCString, withCString } from '../engine/strings.ts';
import { usageError, valueError } from '../error.ts';
import { bytesOf, describe, isInt64, isNegativeZero, type SqlValue, TRANSIENT, type ValueReader } from './values.ts';

const UTF8 = 1;
const DETERMINISTIC = 0x800;
const DIRECT_ONLY = 0x80000;
/** SQLite's limit of arguments (SQLITE_MAX_FUNCTION_ARG of this build). */
const MAX_ARGUMENTS = 1000;

export interface FunctionOptions {
  /** Any number of arguments; else as many as the function declares. */
  varargs?: boolean;
  /** The same arguments give the same result, so SQLite may call it once and use it in indexes. */
  deterministic?: boolean;
  /** Not callable from views, triggers and other parts of the schema, which a stranger may have written. */
  directOnly?: boolean;
  /** Integer arguments come as BigInts; default is the database's `safeIntegers`. */
  safeIntegers?: boolean;
}

export type ScalarFunction = (...args: SqlValue[]) => unknown;

export interface AggregateOptions<State = unknown> extends FunctionOptions {
  /** The state before the first row, or a function that makes it. */
  start?: State | (() => State);
  /** Adds a row; what it returns is the new state, unless it is undefined. */
  step: (state: State, ...args: SqlValue[]) => State | undefined | void;
  /** Takes a row out again; makes the aggregate usable as a window function. */
  inverse?: (state: State, ...args: SqlValue[]) => State | undefined | void;
  /** Turns the state into the result; default is the state itself. */
  result?: (state: State) => unknown;
}

/** The connection's side of a call out of SQL. */
export interface FunctionOwner {
  readonly pointer: Pointer;
  safeIntegers: boolean;
  /** While a function runs, its database must not be used. */
  enterFunction(): void;
  leaveFunction(): void;
  /** Keeps what a function threw, to be thrown again by the statement that called it. */
  caught(error: unknown): void;
}

interface Registered {
  owner: FunctionOwner;
  wide: boolean;
  scalar?: ScalarFunction;
  aggregate?: AggregateOptions;
}

export class FunctionTable {
  readonly #engine: Engine;
  readonly #reader: ValueReader;
  readonly #functions = new Map<number, Registered>();
  /** States of aggregates in progress, by the number kept in SQLite's aggregate context. */
  readonly #states = new Map<number, unknown>();
  #nextFunction = 1;
  #nextState = 1;
  #pointers: Pointer[] | undefined;

  constructor(engine: Engine, reader: ValueReader) {
    this.#engine = engine;
    this.#reader = reader;
  }

  /** Answers a result code. */
  defineScalar(owner: FunctionOwner, name: string, options: FunctionOptions, scalar: ScalarFunction): number {
    const arity = arityOf(options, scalar.length);
    const id = this.#remember({ owner, wide: options.safeIntegers ?? owner.safeIntegers, scalar });
    const [func, , , , , destroy] = this.#callbacks() as [Pointer, Pointer, Pointer, Pointer, Pointer, Pointer];
    return withCString(this.#engine, name, (zName) =>
      this.#engine.c.createFunctionV2(owner.pointer, zName, arity, flagsOf(options), id, func, 0, 0, destroy),
    );
  }

  /** Answers a result code. */
  defineAggregate(owner: FunctionOwner, name: string, options: AggregateOptions): number {
    const longest = Math.max(options.step.length, options.inverse?.length ?? 0);
    // The state comes first and is no argument of SQL.
    const arity = arityOf(options, Math.max(0, longest - 1));
    const id = this.#remember({ owner, wide: options.safeIntegers ?? owner.safeIntegers, aggregate: options });
    const [, step, final, value, inverse, destroy] = this.#callbacks() as [Pointer, Pointer, Pointer, Pointer, Pointer, Pointer];
    const { c } = this.#engine;
    return withCString(this.#engine, name, (zName) =>
      options.inverse
        ? c.createWindowFunction(owner.pointer, zName, arity, flagsOf(options), id, step, final, value, inverse, destroy)
        : c.createFunctionV2(owner.pointer, zName, arity, flagsOf(options), id, 0, step, final, destroy),
    );
  }

  #remember(registered: Registered): number {
    const id = this.#nextFunction++;
    this.#functions.set(id, registered);
    return id;
  }

  #callbacks(): Pointer[] {
    this.#pointers ??= this.#engine.callbacks([
      { signature: 'viii', call: (context, count, values) => this.#scalar(context as number, count as number, values as number) },
      {
        signature: 'viii',
        call: (context, count, values) => this.#fold('step', context as number, count as number, values as number),
      },
      { signature: 'vi', call: (context) => this.#result(context as number, true) },
      { signature: 'vi', call: (context) => this.#result(context as number, false) },
      {
        signature: 'viii',
        call: (context, count, values) => this.#fold('inverse', context as number, count as number, values as number),
      },
      { signature: 'vi', call: (id) => void this.#functions.delete(id as number) },
    ]);
    return this.#pointers;
  }

  #function(context: Pointer): Registered {
    return this.#functions.get(this.#engine.c.userData(context)) as Registered;
  }

  #scalar(context: Pointer, count: number, values: Pointer): undefined {
    const { owner, scalar, wide } = this.#function(context);
    this.#run(context, owner, () =>
      this.#setResult(context, (scalar as ScalarFunction)(...this.#arguments(count, values, wide))),
    );
  }

  #fold(which: 'step' | 'inverse', context: Pointer, count: number, values: Pointer): undefined {
    const { owner, aggregate, wide } = this.#function(context);
    const options = aggregate as AggregateOptions;
    this.#run(context, owner, () => {
      const id = this.#stateId(context, options);
      const next = (options[which] as AggregateOptions['step'])(this.#states.get(id), ...this.#arguments(count, values, wide));
      if (next !== undefined) this.#states.set(id, next);
    });
  }

  #result(context: Pointer, final: boolean): undefined {
    const { owner, aggregate } = this.#function(context);
    const options = aggregate as AggregateOptions;
    this.#run(context, owner, () => {
      const id = this.#stateId(context, options);
      const state = this.#states.get(id);
      if (final) this.#states.delete(id);
      this.#setResult(context, options.result ? options.result(state) : state);
    });
  }

  /** The number of this aggregate's state, made by its start at the first row (or at the end, if there was none). */
  #stateId(context: Pointer, options: AggregateOptions): number {
    const { c, memory } = this.#engine;
    const slot = c.aggregateContext(context, 4);
    if (slot === 0) throw valueError('no memory left for an aggregate');
    let id = memory.i32[slot >> 2] as number;
    if (id === 0) {
      id = this.#nextState++;
      memory.i32[slot >> 2] = id;
      const { start } = options;
      this.#states.set(id, typeof start === 'function' ? (start as () => unknown)() : (start ?? null));
    }
    return id;
  }

  #run(context: Pointer, owner: FunctionOwner, body: () => void): void {
    owner.enterFunction();
    try {
      body();
    } catch (error) {
      // Thrown again, as it is, when the statement has come back from C.
      owner.caught(error);
      this.#setError(context, error instanceof Error ? error.message : String(error));
    } finally {
      owner.leaveFunction();
    }
  }

  #arguments(count: number, values: Pointer, wide: boolean): SqlValue[] {
    const args: SqlValue[] = [];
    for (let index = 0; index < count; index++) {
      const value = this.#engine.memory.i32[(values >> 2) + index] as number;
      args.push(this.#reader.argument(value, wide));
    }
    return args;
  }

  #setResult(context: Pointer, value: unknown): void {
    const { c } = this.#engine;
    switch (typeof value) {
      case 'number':
        if (Number.isSafeInteger(value) && !isNegativeZero(value)) return c.resultInt64(context, BigInt(value));
        return c.resultDouble(context, value);
      case 'bigint':
        if (!isInt64(value)) throw valueError(`a function returned ${value}, which does not fit into 64 bits`);
        return c.resultInt64(context, value);
      case 'string': {
        if (!value.isWellFormed()) throw valueError('a function returned a text with a lone surrogate, which UTF-8 cannot hold');
        return this.#lend(new TextEncoder().encode(value), (at, bytes) => c.resultText(context, at, bytes, TRANSIENT));
      }
      case 'undefined':
        return c.resultNull(context);
      case 'object': {
        if (value === null) return c.resultNull(context);
        const bytes = bytesOf(value);
        if (bytes) return this.#lend(bytes, (at, length) => c.resultBlob(context, at, length, TRANSIENT));
      }
    }
    throw valueError(`a function returned ${describe(value)}; SQLite stores numbers, strings, bigints, bytes and null`);
  }

  #setError(context: Pointer, message: string): void {
    const { pointer, length } = allocateCString(this.#engine.memory, this.#engine.c, message);
    this.#engine.c.resultError(context, pointer, length);
    this.#engine.c.free(pointer);
  }

  #lend(bytes: Uint8Array, use: (at: Pointer, length: number) => void): void {
    const { c, memory } = this.#engine;
    // One byte more: a block of no bytes would be NULL, and that is another value.
    const at = c.malloc(bytes.length + 1);
    if (at === 0) throw valueError(`no memory left for a result of ${bytes.length} bytes`);
    memory.u8.set(bytes, at);
    use(at, bytes.length);
    c.free(at);
  }
}

function arityOf(options: FunctionOptions, declared: number): number {
  if (options.varargs) return -1;
  if (declared > MAX_ARGUMENTS) throw usageError(`a function of SQL has at most ${MAX_ARGUMENTS} parameters`);
  return declared;
}

function flagsOf(options: FunctionOptions): number {
  return UTF8 | (options.deterministic ? DETERMINISTIC : 0) | (options.directOnly ? DIRECT_ONLY : 0);
}
