// What waits until a new database is first written, and running scripts while something does.

import * as code from '../../vfs/codes.ts';
import type { Pointer } from '../engine/engine.ts';
import { withCString } from '../engine/strings.ts';
import type { Connection } from './connection.ts';

/** Blanks and comments, then the first word. */
const HEAD = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?(?:\*\/|$))*([a-z]+)/i;
const JOURNAL_PRAGMA = /\bjournal_mode\s*[=(]/i;

export class FirstWrite {
  #action: (() => void) | undefined;

  get pending(): boolean {
    return this.#action !== undefined;
  }

  await(action: () => void): void {
    this.#action = action;
  }

  /** A statement is about to be used. The first that writes, or begins a transaction, is what was waited for. */
  reached(sql: string, writes: boolean): void {
    const action = this.#action;
    if (action === undefined) return;
    const head = HEAD.exec(sql)?.[1]?.toUpperCase();
    if (head === 'PRAGMA') {
      // Whoever chooses a journal mode himself has chosen.
      if (JOURNAL_PRAGMA.test(sql)) this.#action = undefined;
      return;
    }
    if (!writes && head !== 'BEGIN' && head !== 'SAVEPOINT') return;
    this.#action = undefined;
    action();
  }
}

/** Runs a script statement by statement until the first write has come, and the rest at once. Answers a result code. */
export function execWatching(connection: Connection, sql: string): number {
  const { firstWrite, runtime } = connection;
  const { engine } = runtime;
  const { c, memory } = engine;
  return withCString(engine, sql, (zSql, bytes) => {
    const out = c.malloc(8);
    try {
      let at = zSql;
      while (at < zSql + bytes) {
        if (!firstWrite.pending) return c.exec(connection.pointer, at, 0, 0, 0);
        const prepared = c.prepareV3(connection.pointer, at, zSql + bytes - at + 1, 0, out, out + 4);
        if (prepared !== code.OK) return prepared;
        const stmt = memory.i32[out >> 2] as Pointer;
        const tail = memory.i32[(out + 4) >> 2] as number;
        if (stmt !== 0) {
          reachFirstWrite(connection, stmt, new TextDecoder().decode(memory.u8.slice(at, tail)));
          while (c.step(stmt) === code.ROW);
          const result = c.finalize(stmt);
          if (result !== code.OK) return result;
        }
        at = tail;
      }
      return code.OK;
    } finally {
      c.free(out);
    }
  });
}

/** Tells that a compiled statement is about to be used; it is finalized if what waited for it fails. */
export function reachFirstWrite(connection: Connection, stmt: Pointer, sql: string): void {
  const { c } = connection.runtime.engine;
  try {
    connection.firstWrite.reached(sql, c.stmtReadonly(stmt) === 0);
  } catch (error) {
    c.finalize(stmt);
    throw error;
  }
}
