// What is set on every connection, the same for all contenders: no default of theirs decides.

/** Before the file has its first page. */
export const PAGE_SIZE = 'PRAGMA page_size=4096';

/** NORMAL syncs the database at every commit in DELETE mode, and at checkpoints only in WAL. */
export function settings(journal) {
  return [
    `PRAGMA journal_mode=${journal}`,
    'PRAGMA synchronous=NORMAL',
    'PRAGMA cache_size=-16000',
    'PRAGMA temp_store=FILE',
    'PRAGMA mmap_size=0',
    'PRAGMA wal_autocheckpoint=1000',
    'PRAGMA foreign_keys=ON',
  ];
}
