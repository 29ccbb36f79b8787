// Writes transactions without end, for somebody to kill it. Each inserts three rows and adds them to a total; its number is
// printed when COMMIT has answered. Waits for a line of input before it opens the database, so that starting costs no round.
// Arguments: bundle, database, options of openSync as JSON.

import fs from 'node:fs';
import { createInterface } from 'node:readline';

const [bundle, path, options] = process.argv.slice(2);
const { openSync } = await import(bundle);
createInterface({ input: process.stdin }).once('line', () => {
  // Nobody else is there: a lock or a recovery that had to be waited for would be a lock that a dead process left.
  const db = openSync(path, { timeout: 0, ...JSON.parse(options) });
  // Pages spill before the commit, and the WAL is copied back often: those moments must be hit too.
  db.exec('PRAGMA cache_size=4; PRAGMA wal_autocheckpoint=15');
  const last = db.prepare('SELECT coalesce(max(id), 0) FROM parts').pluck();
  const insert = db.prepare('INSERT INTO parts VALUES (?, ?, randomblob(?))');
  const total = db.prepare('UPDATE total SET parts = parts + 3');
  const write = db.transaction((id) => {
    for (let part = 1; part <= 3; part++) insert.run(id, part, 3000 + ((id * 7919) % 9000));
    total.run();
  });
  for (let id = last.get() + 1; ; id++) {
    write.immediate(id);
    fs.writeSync(1, `${id}\n`);
  }
});
