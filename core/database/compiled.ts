// The compiled form of one statement: made from its text, dropped while idle if there are too many, and made again when needed.

import * as code from '../../vfs/codes.ts';
import type { Pointer } from '../engine/engine.ts';
import { withCString } from '../engine/strings.ts';
import { usageError } from '../error.ts';
import type { Connection, Finalizable } from './connection.ts';

/** The statement will be used more than once, so SQLite takes its memory from the heap and not from the connection's pool. */
const PREPARE_PERSISTENT = 1;

export class Compiled implements Finalizable {
  /** Must not be dropped: it is being iterated, or has values bound to it for good. */
  pinned = false;
  /** Counts how often it was compiled, for those who remember what they saw of it. */
  generation = 0;
  readonly #connection: Connection;
  readonly #source: string;
  #pointer: Pointer = 0;

  constructor(connection: Connection, source: string) {
    this.#connection = connection;
    this.#source = source;
    this.live();
  }

  get isDropped(): boolean {
    return this.#pointer === 0;
  }

  /** The statement's pointer; compiles it if need be. Throws StateError if the database is closed. */
  live(): Pointer {
    if (this.#pointer === 0) {
      this.#pointer = compile(this.#connection, this.#source);
      this.generation++;
      this.#connection.adopt(this);
    }
    return this.#pointer;
  }

  finalize(): void {
    if (this.#pointer === 0) return;
    const pointer = this.#pointer;
    this.#pointer = 0;
    this.#connection.disown(this);
    this.#connection.runtime.engine.c.finalize(pointer);
  }

  dropIfIdle(): boolean {
    if (this.pinned) return false;
    this.finalize();
    return true;
  }
}

/** Compiles exactly one statement. */
function compile(connection: Connection, source: string): Pointer {
  connection.demandOpen();
  connection.begin();
  const { engine } = connection.runtime;
  const { c, memory } = engine;
  const out = c.malloc(8);
  try {
    return withCString(engine, source, (zSql, bytes) => {
      let at = zSql;
      let found = 0;
      while (at < zSql + bytes) {
        const result = c.prepareV3(connection.pointer, at, zSql + bytes - at + 1, PREPARE_PERSISTENT, out, out + 4);
        const stmt = result === code.OK ? (memory.i32[out >> 2] as number) : 0;
        if (found !== 0 && (result !== code.OK || stmt !== 0)) {
          c.finalize(found);
          c.finalize(stmt);
          throw usageError('The SQL text contains more than one statement. Use exec() for scripts');
        }
        if (result !== code.OK) throw connection.failure(result);
        found ||= stmt;
        at = memory.i32[(out + 4) >> 2] as number;
      }
      if (found === 0) throw usageError('The SQL text contains no statement');
      return found;
    });
  } finally {
    c.free(out);
  }
}

/** SQL must be text that C can take as it is: a NUL would end it early, a lone surrogate would become another character. */
export function demandSqlText(source: unknown): asserts source is string {
  if (typeof source !== 'string') throw usageError(`SQL must be a string, not ${typeof source}`);
  if (source.includes('\0')) throw usageError('The SQL text contains a NUL character, at which SQLite would stop reading');
  if (!source.isWellFormed()) throw usageError('The SQL text contains a lone surrogate (half of a character)');
}
