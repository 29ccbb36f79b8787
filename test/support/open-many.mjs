// Opens each database three times, also in a worker thread, and prints the journal modes: open-many.mjs BUNDLE FILE…

import { isMainThread, Worker, workerData } from 'node:worker_threads';

const [bundle, ...files] = isMainThread ? process.argv.slice(2) : workerData;
const { openSync } = await import(bundle);

const modes = [];
for (let round = 0; round < 3; round++) {
  for (const file of files) {
    const db = openSync(file);
    db.exec('CREATE TABLE IF NOT EXISTS t (x)');
    modes.push(db.info.journalMode);
    db.close();
  }
}
if (isMainThread) {
  console.log(modes.join(' '));
  new Worker(new URL(import.meta.url), { workerData: [bundle, ...files] });
}
