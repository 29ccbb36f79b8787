// Leaves a crash behind with ours: a hot journal, or a WAL that nobody checkpointed. Dies by SIGKILL.
// Arguments: bundle, database, `hot-journal` or `abandoned-wal`.

const [bundle, path, what] = process.argv.slice(2);
const { openSync } = await import(bundle);
const db = openSync(path, { timeout: 0 });
if (what === 'hot-journal') {
  db.exec('PRAGMA cache_size=5; BEGIN; UPDATE t SET v = v + 1000');
} else {
  db.exec('PRAGMA wal_autocheckpoint=0; PRAGMA cache_size=5');
  for (let round = 0; round < 20; round++) db.exec('UPDATE t SET v = v + 1');
  // And one more that was not committed, but did reach the WAL.
  db.exec('BEGIN; UPDATE t SET v = v + 1000');
}
process.kill(process.pid, 'SIGKILL');
