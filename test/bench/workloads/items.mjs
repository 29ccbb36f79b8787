// Work on a table of 100,000 small rows: filling it, and reading it row by row, in one go, in a loop, and summed up.

import { near, same, sameBytes } from '../check.mjs';
import { ITEMS, makeItems, randomFrom } from '../data.mjs';

export const CREATE_ITEMS = 'CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, score REAL, data BLOB)';
export const INSERT_ITEM = 'INSERT INTO items (id, name, score, data) VALUES (?, ?, ?, ?)';
const SELECT_ALL = 'SELECT id, name, score, data FROM items ORDER BY id';
const BUCKETS = 100;
const LOOKUPS = 2000;

let made;
export function items() {
  made ??= makeItems();
  return made;
}

export function insertItems(db, rows) {
  const insert = db.prepare(INSERT_ITEM);
  db.exec('BEGIN');
  for (const [id, name, score, data] of rows) insert.run(id, name, score, data);
  db.exec('COMMIT');
}

/** Reads the table again, after the clock has stopped. */
export function checkStored(db, rows) {
  const stored = db.prepare('SELECT count(*) AS n, sum(id) AS ids, sum(score) AS scores FROM items').get();
  same('rows', stored.n, rows.length);
  same('sum of ids', stored.ids, (rows.length * (rows.length + 1)) / 2);
  near(
    'sum of scores',
    stored.scores,
    rows.reduce((sum, row) => sum + row[2], 0),
  );
  const [id, name, , data] = rows[rows.length >> 1];
  checkRow(db.prepare('SELECT * FROM items WHERE id = ?').get(id), id, name, data);
}

export function checkAll(rows) {
  same('rows', rows.length, ITEMS);
  for (const [index, [id, name, score, data]] of items().entries()) {
    same('score', rows[index].score, score);
    checkRow(rows[index], id, name, data);
  }
}

function checkRow(row, id, name, data) {
  same('id', row.id, id);
  same('name', row.name, name);
  sameBytes('data', row.data, data);
}

const bulkInsert = {
  schema: CREATE_ITEMS,
  prepare: (db) => ({ db, rows: items() }),
  run: ({ db, rows }) => insertItems(db, rows),
  check: (_, { db, rows }) => checkStored(db, rows),
};

export const bulkInsertWal = {
  ...bulkInsert,
  name: 'bulk-insert-wal',
  title: 'insert 100k rows, one transaction, WAL',
  journal: 'WAL',
};
export const bulkInsertDelete = {
  ...bulkInsert,
  name: 'bulk-insert-delete',
  title: 'insert 100k rows, one transaction, DELETE',
  journal: 'DELETE',
};

export const pointSelect = {
  name: 'point-select',
  title: '2k selects by key, a transaction each, WAL',
  journal: 'WAL',
  fixture: 'items',
  prepare(db) {
    const random = randomFrom(4);
    const ids = Array.from({ length: LOOKUPS }, () => 1 + Math.floor(random() * ITEMS));
    return { ids, statement: db.prepare('SELECT id, name, score, data FROM items WHERE id = ?') };
  },
  run({ ids, statement }) {
    let length = 0;
    for (const id of ids) length += statement.get(id).name.length;
    return length;
  },
  check(length, { ids, statement }) {
    same(
      'length of names',
      length,
      ids.reduce((sum, id) => sum + items()[id - 1][1].length, 0),
    );
    const [id, name, , data] = items()[ids[0] - 1];
    checkRow(statement.get(id), id, name, data);
  },
};

export const all = {
  name: 'all',
  title: 'all() over 100k rows',
  journal: 'DELETE',
  fixture: 'items',
  prepare: (db) => ({ statement: db.prepare(SELECT_ALL) }),
  run: ({ statement }) => statement.all(),
  check: checkAll,
};

export const iterate = {
  name: 'iterate',
  title: 'iterate() over 100k rows',
  journal: 'DELETE',
  fixture: 'items',
  prepare: (db) => ({ statement: db.prepare(SELECT_ALL) }),
  run({ statement }) {
    let sum = 0;
    let length = 0;
    for (const row of statement.iterate()) {
      sum += row.score;
      length += row.name.length + row.data.length;
    }
    return { sum, length };
  },
  check({ sum, length }) {
    near(
      'sum of scores',
      sum,
      items().reduce((total, row) => total + row[2], 0),
    );
    same(
      'length',
      length,
      items().reduce((total, row) => total + row[1].length + row[3].length, 0),
    );
  },
};

export const aggregate = {
  name: 'aggregate',
  title: 'group by over 100k rows',
  journal: 'DELETE',
  fixture: 'items',
  prepare: (db) => ({
    statement: db.prepare(
      `SELECT id % ${BUCKETS} AS bucket, count(*) AS n, sum(score) AS total, max(name) AS last, sum(length(data)) AS bytes
       FROM items GROUP BY bucket ORDER BY bucket`,
    ),
  }),
  run: ({ statement }) => statement.all(),
  check(rows) {
    const expected = buckets();
    same('buckets', rows.length, BUCKETS);
    for (const row of rows) {
      const { n, bytes, last, total } = expected[row.bucket];
      same('n', row.n, n);
      same('bytes', row.bytes, bytes);
      same('last', row.last, last);
      near('total', row.total, total);
    }
  },
};

function buckets() {
  const found = Array.from({ length: BUCKETS }, () => ({ n: 0, bytes: 0, last: '', total: 0 }));
  for (const [id, name, score, data] of items()) {
    const bucket = found[id % BUCKETS];
    bucket.n++;
    bucket.bytes += data.length;
    bucket.total += score;
    if (name > bucket.last) bucket.last = name;
  }
  return found;
}
