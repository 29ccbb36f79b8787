// The database files that the reading workloads start from. They are made once; everybody gets a copy.

import { PAGE_SIZE, settings } from './settings.mjs';
import { CREATE_ITEMS, insertItems, items } from './workloads/items.mjs';
import { createLarge, insertLarge, largeValues } from './workloads/large.mjs';
import { CREATE_DOCUMENTS, documents, insertDocuments } from './workloads/search.mjs';

const FILL = {
  items(db) {
    db.exec(CREATE_ITEMS);
    insertItems(db, items());
  },
  documents(db) {
    db.exec(CREATE_DOCUMENTS);
    insertDocuments(db, documents());
  },
  large(db) {
    for (const kind of ['text', 'blob']) {
      db.exec(createLarge(kind));
      insertLarge(db, kind, largeValues(kind));
    }
  },
};

/** With a rollback journal, so that the file alone is the database and can be copied. */
export function makeFixture(name, db) {
  db.exec(PAGE_SIZE);
  for (const setting of settings('DELETE')) db.exec(setting);
  FILL[name](db);
  db.close();
}
