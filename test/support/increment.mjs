// Reads, adds one, writes: so many transactions on one database, begun at a line of input. Prints how many were committed.
// Arguments: bundle, database, options of openSync as JSON, name, number of transactions.

import { createInterface } from 'node:readline';

const [bundle, path, options, who, times] = process.argv.slice(2);
const { openSync } = await import(bundle);
const db = openSync(path, JSON.parse(options));
// A checkpoint every few commits, so that checkpoints and WAL restarts meet the other writers.
db.pragma('wal_autocheckpoint=20');
const read = db.prepare('SELECT n FROM counter').pluck();
const log = db.prepare('INSERT INTO log (n, who) VALUES (?, ?)');
const write = db.prepare('UPDATE counter SET n = ?');
const increment = db.transaction(() => {
  const n = read.get() + 1;
  log.run(n, who);
  write.run(n);
});
console.log('ready');
const input = createInterface({ input: process.stdin });
input.once('line', () => {
  input.close();
  let committed = 0;
  for (; committed < Number(times); committed++) increment.immediate();
  db.close();
  console.log(committed);
});
