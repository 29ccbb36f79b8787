// What waits until a new database is first written, and running scripts while something does.

import * as code from '../../vfs/codes.ts';
import type { Pointer } from '../engine/engine.ts';
import { withCString } from '../engine/strings.ts';
import type { Connection } from './connection.ts';

/** Blanks, comments and empty statements, which come before the first word. */
const LEADING = /^(?:[\s;]|--[^\n]*(?:\n|$)|\/\*[\s\S]*?(?:\*\/|$))+/;
/** A pragma's name, if it belongs to the main database, and whether it is given a value. */
const PRAGMA = /^PRAGMA\s+(?:["'`[]?main["'`\]]?\s*\.\s*)?(\w+)\s*([=(])?/i;
/** They write into the first page, as any other write does. */
const WRITING_PRAGMAS = ['user_version', 'application_id', 'schema_version', 'incremental_vacuum'];
/** It has to come before the first write, and makes the first page itself. */
const LAYOUT_PRAGMA = 'auto_vacuum';

export class FirstWrite {
  #action: ((madeByUs: boolean) => void) | undefined;
  #madeByUs = false;

  get pending(): boolean {
    return this.#action !== undefined;
  }

  /** `madeByUs`: the first page is there already, because we had to make it. */
  await(action: (madeByUs: boolean) => void): void {
    this.#action = action;
  }

  /** A statement is about to run. The first that writes, or begins a transaction, is what was waited for. */
  reached(sql: string, writes: boolean): void {
    if (!this.pending) return;
    const text = sql.replace(LEADING, '');
    const [, pragma, given] = PRAGMA.exec(text) ?? [];
    if (pragma !== undefined) this.#pragma(pragma.toLowerCase(), given !== undefined);
    else if (/^(BEGIN|SAVEPOINT)\b/i.test(text)) this.now();
    else if (writes && !/^(EXPLAIN|PRAGMA|CREATE\s+TEMP|ATTACH|DETACH)/i.test(text)) this.now();
  }

  /** What was waited for is here. */
  now(): void {
    const action = this.#action;
    this.#action = undefined;
    action?.(this.#madeByUs);
  }

  #pragma(name: string, given: boolean): void {
    // Whoever chooses a journal mode himself has chosen.
    if (name === 'journal_mode' && given) this.#action = undefined;
    else if (name === LAYOUT_PRAGMA && given) this.#madeByUs = true;
    else if (WRITING_PRAGMAS.includes(name) && (given || name === 'incremental_vacuum')) this.now();
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
          const result = runWatching(connection, stmt, new TextDecoder().decode(memory.u8.slice(at, tail)));
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

/** Takes over the statement. */
function runWatching(connection: Connection, stmt: Pointer, sql: string): number {
  const { c } = connection.runtime.engine;
  try {
    connection.firstWrite.reached(sql, c.stmtReadonly(stmt) === 0);
    while (c.step(stmt) === code.ROW);
  } catch (error) {
    c.finalize(stmt);
    throw error;
  }
  return c.finalize(stmt);
}
