// Values of 1 MB, bound and read: texts, half of them beyond ASCII, and blobs.

import { same, sameBytes } from '../check.mjs';
import { makeLargeBlobs, makeLargeTexts } from '../data.mjs';

const SAME = { text: same, blob: sameBytes };
const MAKE = { text: makeLargeTexts, blob: makeLargeBlobs };

const made = {};
export function largeValues(kind) {
  made[kind] ??= MAKE[kind]();
  return made[kind];
}

export function createLarge(kind) {
  return `CREATE TABLE large_${kind} (id INTEGER PRIMARY KEY, value ${kind.toUpperCase()})`;
}

export function insertLarge(db, kind, values) {
  const insert = db.prepare(`INSERT INTO large_${kind} (id, value) VALUES (?, ?)`);
  db.exec('BEGIN');
  for (const [index, value] of values.entries()) insert.run(index, value);
  db.exec('COMMIT');
}

function selectLarge(db, kind) {
  return db.prepare(`SELECT value FROM large_${kind} WHERE id = ?`);
}

function readLarge({ statement, values }) {
  return values.map((_, index) => statement.get(index).value);
}

function checkLarge(kind, got, values) {
  for (const [index, value] of values.entries()) SAME[kind](`large ${kind} ${index}`, got[index], value);
}

function bindLarge(kind) {
  return {
    name: `${kind}-bind`,
    title: `${kind} of 1 MB: insert 16, one transaction`,
    journal: 'DELETE',
    schema: createLarge(kind),
    prepare: (db) => ({ db, values: largeValues(kind) }),
    run: ({ db, values }) => insertLarge(db, kind, values),
    check(_, { db, values }) {
      checkLarge(kind, readLarge({ statement: selectLarge(db, kind), values }), values);
    },
  };
}

function fetchLarge(kind) {
  return {
    name: `${kind}-read`,
    title: `${kind} of 1 MB: read 16`,
    journal: 'DELETE',
    fixture: 'large',
    prepare: (db) => ({ statement: selectLarge(db, kind), values: largeValues(kind) }),
    run: readLarge,
    check: (got, { values }) => checkLarge(kind, got, values),
  };
}

export const textBind = bindLarge('text');
export const textRead = fetchLarge('text');
export const blobBind = bindLarge('blob');
export const blobRead = fetchLarge('blob');
