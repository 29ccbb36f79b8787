// Terminates a worker in the middle of a transaction, says what is left of it in this process, then stays alive until its
// input ends. Arguments: bundle, database, `idle` (between two statements), `running` (inside a long one) or `waiting`
// (for a lock that somebody else holds).

import fs from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const SIDECARS = ['', '-journal', '-wal', '-shm'];

async function work({ bundle, path, doing }) {
  // Keeps the worker alive: one with nothing left to do ends by itself, and closes its databases.
  parentPort.on('message', () => {});
  const { openSync } = await import(bundle);
  const db = openSync(path, { timeout: 60_000 });
  // Kept, so that it is not closed as garbage before the worker is terminated.
  globalThis.database = db;
  if (doing === 'waiting') {
    parentPort.postMessage('in the middle');
    db.exec('BEGIN IMMEDIATE');
  }
  // A page cache this small spills, so that unfinished rows are in the file or in the WAL.
  db.exec('PRAGMA cache_size=5; BEGIN IMMEDIATE');
  const insert = db.prepare('INSERT INTO t VALUES (?)');
  for (let i = 0; i < 200; i++) insert.run(`aborted ${'x'.repeat(1000)}`);
  parentPort.postMessage('in the middle');
  if (doing === 'running') db.exec('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n');
}

/** Lock lines of these inodes, and descriptors that lead to these files. */
function leftovers(path, inodes) {
  const locks = fs.readFileSync('/proc/locks', 'utf8').split('\n');
  const ours = locks.filter((line) => line.includes('OFDLCK') && inodes.some((inode) => line.includes(`:${inode} `)));
  const descriptors = fs.readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [fs.readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
  return { locks: ours, descriptors: descriptors.filter((target) => target.startsWith(path)) };
}

async function supervise() {
  const [bundle, path, doing] = process.argv.slice(2);
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { bundle, path, doing } });
  await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  // Give it time to be inside the statement, or asleep.
  if (doing !== 'idle') await pause(100);
  const present = SIDECARS.map((suffix) => path + suffix).filter((file) => fs.existsSync(file));
  const inodes = present.map((file) => fs.statSync(file).ino);
  const before = leftovers(path, inodes);
  const terminated = await Promise.race([worker.terminate().then(() => true), pause(20_000, false, { ref: false })]);
  let after = leftovers(path, inodes);
  // A runtime may say "terminated" a moment before the thread is gone.
  for (let tries = 0; tries < 100 && after.locks.length + after.descriptors.length > 0; tries++) {
    await pause(50);
    after = leftovers(path, inodes);
  }
  console.log(JSON.stringify({ before, terminated, after }));
  for await (const _ of process.stdin);
}

await (isMainThread ? supervise() : work(workerData));
