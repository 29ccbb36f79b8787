// The databases that are measured, each behind the same three calls: exec, prepare and close.

import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** node-sqlite3-wasm takes parameters as an array, and leaks what is not finalized. */
class WasmDatabase {
  #db;
  #statements = [];

  constructor(db) {
    this.#db = db;
  }

  exec(sql) {
    this.#db.exec(sql);
  }

  prepare(sql) {
    const statement = this.#db.prepare(sql);
    this.#statements.push(statement);
    return {
      run: (...values) => statement.run(values),
      get: (...values) => statement.get(values),
      all: (...values) => statement.all(values),
      iterate: (...values) => statement.iterate(values),
    };
  }

  close() {
    for (const statement of this.#statements) statement.finalize();
    this.#db.close();
  }
}

const GET = 'db.prepare(sql).get(id)';

/**
 * `url` is what a program imports, and `open` makes a database of it. `program` is the same as the source text of a program of
 * its own: its import, how it opens `file`, and how it gets the row `id` by `sql`. Where there is no WAL, the rollback journal
 * stands in, and the report says so.
 */
const CONTENDERS = [
  {
    name: 'Holdfast',
    runtimes: ['node', 'bun'],
    wal: true,
    url: (dist, runtime) => pathToFileURL(path.join(dist, `${runtime}.js`)).href,
    open: (module, file) => module.openSync(file),
    program: (url) => [`import { openSync } from '${url}';`, 'openSync(file)', GET],
  },
  {
    name: 'better-sqlite3',
    runtimes: ['node'],
    wal: true,
    url: () => import.meta.resolve('better-sqlite3'),
    open: (module, file) => new module.default(file),
    program: (url) => [`import Database from '${url}';`, 'new Database(file)', GET],
  },
  {
    name: 'node-sqlite3-wasm',
    runtimes: ['node'],
    wal: false,
    url: () => import.meta.resolve('node-sqlite3-wasm'),
    open: (module, file) => new WasmDatabase(new module.default.Database(file)),
    program: (url) => [`import sqlite from '${url}';`, 'new sqlite.Database(file)', 'db.get(sql, [id])'],
  },
  {
    name: 'node:sqlite',
    runtimes: ['node'],
    wal: true,
    url: () => 'node:sqlite',
    open: (module, file) => new module.DatabaseSync(file),
    program: (url) => [`import { DatabaseSync } from '${url}';`, 'new DatabaseSync(file)', GET],
  },
  {
    name: 'bun:sqlite',
    runtimes: ['bun'],
    wal: true,
    url: () => 'bun:sqlite',
    open: (module, file) => new module.Database(file),
    program: (url) => [`import { Database } from '${url}';`, 'new Database(file)', GET],
  },
];

export function contendersOf(runtime) {
  return CONTENDERS.filter(({ runtimes }) => runtimes.includes(runtime));
}

export function contenderNamed(name) {
  const found = CONTENDERS.find((contender) => contender.name === name);
  if (!found) throw new Error(`there is no contender ${name}`);
  return found;
}
