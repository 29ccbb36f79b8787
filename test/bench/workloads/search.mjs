// Full-text search: indexing 20,000 documents, and asking for the ten best of 200 queries.

import { same } from '../check.mjs';
import { DOCUMENTS, makeDocuments, wordAt } from '../data.mjs';

export const CREATE_DOCUMENTS = 'CREATE VIRTUAL TABLE documents USING fts5(title, body)';
const QUERIES = 200;
const BEST = 10;

let made;
export function documents() {
  made ??= makeDocuments();
  return made;
}

export function insertDocuments(db, rows) {
  const insert = db.prepare('INSERT INTO documents (rowid, title, body) VALUES (?, ?, ?)');
  db.exec('BEGIN');
  for (const [id, title, body] of rows) insert.run(id, title, body);
  db.exec('COMMIT');
}

let index;
/** The documents that have all of these words. */
function matching(words) {
  index ??= indexOf(documents());
  const [first, ...others] = words.map((word) => index.get(word));
  return new Set([...first].filter((document) => others.every((set) => set.has(document))));
}

function indexOf(all) {
  const found = new Map();
  for (const document of all) {
    for (const word of `${document[1]} ${document[2]}`.split(' ')) found.set(word, (found.get(word) ?? new Set()).add(document));
  }
  return found;
}

export const searchInsert = {
  name: 'fts5-insert',
  title: 'FTS5: insert 20k documents, one transaction',
  journal: 'DELETE',
  schema: CREATE_DOCUMENTS,
  prepare: (db) => ({ db, rows: documents() }),
  run: ({ db, rows }) => insertDocuments(db, rows),
  check(_, { db }) {
    const found = (query) => db.prepare('SELECT count(*) AS n FROM documents WHERE documents MATCH ?').get(query).n;
    same('documents', db.prepare('SELECT count(*) AS n FROM documents').get().n, DOCUMENTS);
    for (const rank of [0, 7, 400]) same('matches', found(wordAt(rank)), matching([wordAt(rank)]).size);
  },
};

export const searchQuery = {
  name: 'fts5-query',
  title: 'FTS5: 200 queries, ten best each',
  journal: 'DELETE',
  fixture: 'documents',
  prepare(db) {
    // Every other query has a second, frequent word.
    const queries = Array.from({ length: QUERIES }, (_, index) => [
      wordAt(20 + index * 3),
      ...(index % 2 ? [wordAt(index % 9)] : []),
    ]);
    const expected = queries.map((words) => new Map([...matching(words)].map(([id, title]) => [id, title])));
    const statement = db.prepare('SELECT rowid AS id, title FROM documents WHERE documents MATCH ? ORDER BY rank LIMIT 10');
    return { texts: queries.map((words) => words.join(' ')), expected, statement };
  },
  run: ({ texts, statement }) => texts.map((text) => statement.all(text)),
  check(answers, { expected }) {
    for (const [index, rows] of answers.entries()) {
      same('answers', rows.length, Math.min(BEST, expected[index].size));
      for (const { id, title } of rows) same('title', title, expected[index].get(id));
    }
  },
};
