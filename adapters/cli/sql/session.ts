// Runs statements on an open database and prints what they answer.

import type { Database } from '../../../core/database/database.ts';
import type { Statement } from '../../../core/database/statement.ts';
import type { SqlValue } from '../../../core/database/values.ts';
import type { Format } from '../output/format.ts';
import type { Output } from '../output/output.ts';
import { StatementFailure } from '../report.ts';
import type { Params } from './params.ts';
import type { SqlText } from './split.ts';

/** What a statement did: rows printed, or rows changed. */
export interface Outcome {
  rows?: number;
  changes?: number;
}

export class Session {
  readonly #db: Database;
  readonly #format: Format;
  readonly #out: Output;
  readonly #params: Params;

  constructor(db: Database, format: Format, out: Output, params: Params) {
    this.#db = db;
    this.#format = format;
    this.#out = out;
    this.#params = params;
  }

  /** Runs one statement and answers what it did. @throws StatementFailure */
  async run(statement: SqlText): Promise<Outcome> {
    try {
      return await this.#execute(statement);
    } catch (error) {
      throw new StatementFailure(statement, error);
    }
  }

  async #execute(statement: SqlText): Promise<Outcome> {
    const prepared = this.#db.prepare<SqlValue[]>(statement.text);
    const params = this.#params.for(statement);
    if (prepared.reader) return { rows: await this.#print(prepared.raw(), params) };
    return { changes: prepared.run(...params).changes };
  }

  async #print(statement: Statement<SqlValue[]>, params: unknown[]): Promise<number> {
    const rows = statement.iterate(...params);
    try {
      let next = rows.next();
      // Asked for after the first step: only then it is sure that the schema has not changed under the statement.
      const printer = this.#format.begin(statement.columns().map(({ name }) => name));
      let count = 0;
      try {
        for (; !next.done; next = rows.next()) {
          const wait = printer.row(next.value);
          if (wait) await wait;
          count++;
          if (this.#out.closed && statement.readonly) return count;
        }
      } catch (error) {
        await printer.broken?.();
        throw error;
      }
      await printer.end();
      return count;
    } finally {
      rows.return?.();
    }
  }
}
