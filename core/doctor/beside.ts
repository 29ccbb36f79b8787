// What lies beside a database that should not be there, or tells of a crash: journals, logs of nobody, lock files of other tools.

import type { FileStatus, Host } from '../../vfs/host.ts';
import { declaredMode, HEADER_BYTES } from '../../vfs/journal/on-disk.ts';
import { shellWord } from '../../vfs/shell-word.ts';
import { lookInto, statusUnfollowed, Unreadable } from './read-file.ts';
import type { Collection } from './surroundings.ts';
import { WAL_HEADER_BYTES } from './wal-file.ts';

/** Files that other tools lock with flock(2). They stay for ever, and say nothing by being there. */
const FLOCK_FILES = ['.quarantine.lock', '.repair.lock', '.fts_rebuild.lock', '.auto-maintenance.lock'];
const DOT_FILE = '.lock';
/** A journal begins with this, or it is not hot (https://sqlite.org/fileformat2.html#the_rollback_journal). */
const JOURNAL_MAGIC = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/** `main` is undefined where there is no main file. */
export function strangersBeside(host: Host, path: string, main: FileStatus | undefined, held: boolean, found: Collection): void {
  const logBytes = sizeOf(host, `${path}-wal`);
  const holdsData = { log: logBytes > WAL_HEADER_BYTES, journal: isHotJournal(host, `${path}-journal`) };
  if (main === undefined || (main.type === 'file' && main.size === 0)) orphans(path, main, holdsData, found);
  else if (main.type === 'file') {
    const mode = modeOf(host, path);
    if (holdsData.journal) journal(path, mode, held, found);
    if (mode === 'rollback') walRemains(path, logBytes, sizeOf(host, `${path}-shm`), found);
  }
  dotFile(host, path, found);
  for (const suffix of FLOCK_FILES)
    if (sizeOf(host, path + suffix) >= 0)
      found.add(
        'info',
        'lock-file',
        `${path}${suffix} is a lock file of another tool; that it lies there does not mean that it is locked`,
      );
}

function orphans(
  path: string,
  main: FileStatus | undefined,
  holdsData: { log: boolean; journal: boolean },
  found: Collection,
): void {
  const state = main === undefined ? 'missing' : 'empty';
  const remedy = 'before any program opens it, copy all files beside it away; then restore the database, or recover it from them';
  if (holdsData.log)
    found.add(
      'error',
      'orphan-wal',
      `the database is ${state}, but ${path}-wal holds data; SQLite deletes it at the next open`,
      remedy,
    );
  if (holdsData.journal)
    found.add(
      'error',
      'orphan-journal',
      `the database is ${state}, but ${path}-journal holds data; SQLite deletes it at the next open`,
      remedy,
    );
}

function journal(path: string, mode: 'rollback' | 'wal' | 'foreign', held: boolean, found: Collection): void {
  if (held && mode !== 'wal') return;
  const remedy = `keep ${path}-journal beside the database, and open it once with a program that may write`;
  if (mode === 'wal')
    found.add(
      'error',
      'journal-beside-wal',
      `${path}-journal holds a rollback journal, though the database is in WAL mode; the next open plays it back into it`,
      `if the journal is not of this very database, move it away before anything opens it; else ${remedy}`,
    );
  else
    found.add(
      'warning',
      'hot-journal',
      `a transaction was cut short; ${path}-journal holds what takes it back, and the next open does so`,
      remedy,
    );
}

/** A WAL beside a database in rollback mode: SQLite plays it into it, whatever it is. */
function walRemains(path: string, logBytes: number, shmBytes: number, found: Collection): void {
  if (logBytes > WAL_HEADER_BYTES)
    found.add(
      'error',
      'wal-beside-rollback',
      `${path}-wal holds data, though the database is not in WAL mode: it was left by another database or time, and the next open plays it into this one`,
      `while nobody uses the database, copy all its files away; if the WAL is not its own, move ${path}-wal and ${path}-shm away`,
    );
  else if (logBytes >= 0 || shmBytes >= 0) {
    const names = [logBytes >= 0 ? `${path}-wal` : '', shmBytes >= 0 ? `${path}-shm` : ''].filter(Boolean).join(' and ');
    found.add('info', 'sidecar-left-over', `${names} was left from a time in WAL mode and holds no data`);
  }
}

/** SQLite's unix-dotfile folder, and what other packages make of the same name. */
function dotFile(host: Host, path: string, found: Collection): void {
  const file = path + DOT_FILE;
  const status = host.status(file);
  if (typeof status === 'number') return;
  const age = ageText(host.now() - status.modifiedAt);
  if (status.type === 'directory')
    found.add(
      'warning',
      'dot-file-lock',
      `${file}, made ${age} ago, is a lock folder: whoever locks by such folders (SQLite's unix-dotfile, some WebAssembly packages) finds the database locked; Holdfast and native SQLite with kernel locks do not heed it`,
      `if no such program runs any more, remove it: rmdir ${shellWord(file)}`,
    );
  else
    found.add(
      'info',
      'lock-file',
      `${file}, made ${age} ago, is a lock file of another tool; that it lies there does not mean that it is locked`,
    );
}

function modeOf(host: Host, path: string): 'rollback' | 'wal' | 'foreign' {
  const bytes = new Uint8Array(HEADER_BYTES);
  const got = lookInto(host, path, ({ fd }) => host.read(fd, bytes, 0, HEADER_BYTES, 0));
  return got === HEADER_BYTES ? declaredMode(bytes) : 'foreign';
}

/**
 * Whether a journal has content that SQLite plays back when nobody holds a lock: one that journal_mode PERSIST or TRUNCATE has
 * kept does not, nor one behind a symbolic link, which SQLite refuses to open. One that cannot be read counts as hot.
 */
export function isHotJournal(host: Host, path: string): boolean {
  const bytes = new Uint8Array(JOURNAL_MAGIC.length);
  const got = lookInto(host, path, ({ fd }) => host.read(fd, bytes, 0, bytes.length, 0));
  if (got instanceof Unreadable) return (got.why === 'denied' || got.why === 'failed') && sizeOf(host, path) > 0;
  return got === bytes.length && JOURNAL_MAGIC.every((byte, index) => bytes[index] === byte);
}

/** -1 where there is none, or a symbolic link, which SQLite does not follow either. */
function sizeOf(host: Host, path: string): number {
  const status = statusUnfollowed(host, path);
  return typeof status === 'number' ? -1 : status.size;
}

function ageText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86400)} days`;
}
