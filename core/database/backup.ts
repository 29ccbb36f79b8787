// A copy of a live database into another file, from one snapshot, a few pages at a time.
//
// Source: https://sqlite.org/backup.html

import * as code from '../../vfs/codes.ts';
import type { Pointer, SqliteFunctions } from '../engine/engine.ts';
import { withCString } from '../engine/strings.ts';
import { stateError, usageError } from '../error.ts';
import type { Connection } from './connection.ts';

export interface BackupProgress {
  totalPages: number;
  remainingPages: number;
}

export interface BackupOptions {
  /** Name of the schema to copy; default `main`. */
  attached?: string;
  /** Called before each turn; answers how many pages the turn copies (default 100; 0 pauses for a turn). */
  progress?: (progress: BackupProgress) => number | undefined;
}

/** Pages of one turn: under a millisecond or two of work, so that the program stays responsive. */
const PAGES_PER_TURN = 100;
/** The largest int of C. */
const MOST_PAGES = 2 ** 31 - 1;
/** Milliseconds until the next try when a lock was in the way. */
const RETRY_DELAY = 10;

/** Copies into `target`, which is closed afterwards. The promise fails if either side is closed or cannot be had in time. */
export async function backup(source: Connection, target: Connection, options: BackupOptions): Promise<BackupProgress> {
  try {
    return await copy(source, target, options);
  } finally {
    target.close();
  }
}

async function copy(source: Connection, target: Connection, options: BackupOptions): Promise<BackupProgress> {
  const { engine } = source.runtime;
  const { c } = engine;
  target.begin();
  const handle = withCString(engine, 'main', (to) =>
    withCString(engine, options.attached ?? 'main', (from) => c.backupInit(target.pointer, to, source.pointer, from)),
  );
  if (handle === 0) throw target.failure(c.extendedErrcode(target.pointer));
  let finished = false;
  try {
    const progress = await copyAllPages(handle, source, options);
    finished = true;
    // What a step failed with, finish says again, and leaves its message with the target.
    const result = c.backupFinish(handle);
    if (progress === undefined || result !== code.OK) throw target.failure(result === code.OK ? code.BUSY : result);
    return progress;
  } finally {
    if (!finished) c.backupFinish(handle);
  }
}

/** Copies turn by turn until nothing is left; undefined if that failed, or if a lock was not to be had in time. */
async function copyAllPages(handle: Pointer, source: Connection, options: BackupOptions): Promise<BackupProgress | undefined> {
  const { engine, host } = source.runtime;
  const { c } = engine;
  const giveUpAt = () => host.monotonic() + source.patience.timeoutMs;
  let deadline = giveUpAt();
  // A step of no pages only counts them, for the first report.
  if (options.progress) c.backupStep(handle, 0);
  let progress = progressOf(c, handle);
  for (;;) {
    if (!source.isOpen) throw stateError('The database was closed while a backup of it was running');
    const pages = pagesOfTurn(options.progress?.(progress));
    if (!source.isOpen) continue;
    const result = c.backupStep(handle, pages);
    progress = progressOf(c, handle);
    if (result === code.DONE) return progress;
    const primary = code.primary(result);
    const busy = primary === code.BUSY || primary === code.LOCKED;
    if (result === code.OK) deadline = giveUpAt();
    else if (!busy || host.monotonic() > deadline) return undefined;
    await pause(busy ? RETRY_DELAY : 0);
  }
}

function progressOf(c: SqliteFunctions, handle: Pointer): BackupProgress {
  return { totalPages: c.backupPagecount(handle), remainingPages: c.backupRemaining(handle) };
}

function pagesOfTurn(asked: unknown): number {
  if (asked === undefined) return PAGES_PER_TURN;
  if (typeof asked === 'number' && asked >= 0 && asked <= MOST_PAGES) return Math.floor(asked);
  throw usageError(`"progress" of a backup answers a number of pages from 0 to ${MOST_PAGES}, or nothing, not ${String(asked)}`);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
