// 1,000 rows, a transaction each: locks, journal and syncs, in both journal modes.

import { makeItems } from '../data.mjs';
import { CREATE_ITEMS, checkStored, INSERT_ITEM } from './items.mjs';

const TRANSACTIONS = 1000;

const rows = makeItems(TRANSACTIONS);

const singleRows = {
  schema: CREATE_ITEMS,
  prepare: (db) => ({ db, insert: db.prepare(INSERT_ITEM) }),
  run({ insert }) {
    for (const [id, name, score, data] of rows) insert.run(id, name, score, data);
  },
  check: (_, { db }) => checkStored(db, rows),
};

export const transactionsWal = {
  ...singleRows,
  name: 'transactions-wal',
  title: '1k inserts, a transaction each, WAL',
  journal: 'WAL',
};
export const transactionsDelete = {
  ...singleRows,
  name: 'transactions-delete',
  title: '1k inserts, a transaction each, DELETE',
  journal: 'DELETE',
  /** Two syncs of files and one of the folder for each row. */
  waitsForDisk: true,
};
