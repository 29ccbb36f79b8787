// What only a whole process shows: the time from its start to its end around one row, and its peak of memory.

import { CREATE_ITEMS, checkAll, checkStored, insertItems, items } from './items.mjs';

/** Timed from outside: the schedule starts a program that does nothing else. */
export const coldStart = {
  name: 'cold-start',
  title: 'cold start to first row, whole process',
  journal: 'DELETE',
  fixture: 'items',
  wholeProcess: true,
  /** The program, as source text. It answers the name of the row that it was asked for. */
  program: ([imports, opening, get], file, id) => `${imports}
const file = ${JSON.stringify(file)};
const sql = 'SELECT id, name, score, data FROM items WHERE id = ?';
const id = ${id};
const db = ${opening};
console.log(${get}.name);
db.close();
`,
};

export const memory = {
  name: 'memory',
  title: 'peak memory: insert 100k rows, then all()',
  journal: 'DELETE',
  schema: CREATE_ITEMS,
  /** The sample is not a time but the peak of the process, in MiB. */
  measuresMemory: true,
  prepare: (db) => ({ db, rows: items() }),
  run({ db, rows }) {
    insertItems(db, rows);
    return db.prepare('SELECT id, name, score, data FROM items ORDER BY id').all();
  },
  check(answer, { db, rows }) {
    checkAll(answer);
    checkStored(db, rows);
  },
};
