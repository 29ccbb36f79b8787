// Leaves a database open when it ends. Arguments: bundle, database, options of openSync as JSON, and how it ends: `exit`,
// `end`, `throw`, `reject`, `SIGTERM-handled`, `worker-end` or `worker-exit`.

import { fileURLToPath } from 'node:url';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

async function forget([bundle, path, options, how]) {
  const { openSync } = await import(bundle);
  const db = openSync(path, JSON.parse(options));
  db.exec("CREATE TABLE IF NOT EXISTS t (x); INSERT INTO t VALUES ('committed')");
  db.exec("BEGIN; INSERT INTO t VALUES ('forgotten')");
  globalThis.kept = [db, db.prepare('SELECT x FROM t')];
  switch (how) {
    case 'exit':
    case 'worker-exit':
      return process.exit(0);
    case 'throw':
      throw new Error('on purpose');
    case 'reject':
      return void Promise.reject(new Error('on purpose'));
    case 'SIGTERM-handled':
      process.on('SIGTERM', () => process.exit(0));
      process.kill(process.pid, 'SIGTERM');
      return setTimeout(() => {}, 30_000);
  }
}

const parameters = isMainThread ? process.argv.slice(2) : workerData;
if (isMainThread && parameters[3].startsWith('worker-')) new Worker(fileURLToPath(import.meta.url), { workerData: parameters });
else await forget(parameters);
