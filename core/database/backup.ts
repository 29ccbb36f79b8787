// A copy of a live database into another file, from one snapshot, a few pages at a time.
//
// Source: https://sqlite.org/backup.html

import * as code from '../../vfs/codes.ts';
import { withCString } from '../engine/strings.ts';
import { stateError } from '../error.ts';
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
/** Milliseconds until the next try when a lock was in the way. */
const RETRY_DELAY = 10;

/** Copies into `target`, which is closed afterwards. The promise fails if either side is closed or cannot be had in time. */
export async function backup(source: Connection, target: Connection, options: BackupOptions): Promise<BackupProgress> {
  const { engine, host } = source.runtime;
  const { c } = engine;
  const handle = withCString(engine, 'main', (to) =>
    withCString(engine, options.attached ?? 'main', (from) => c.backupInit(target.pointer, to, source.pointer, from)),
  );
  let failed = handle === 0 ? target.failure(engine.c.extendedErrcode(target.pointer)) : undefined;
  let finished = false;
  const giveUpAt = () => host.monotonic() + source.patience.timeoutMs;
  let deadline = giveUpAt();
  let progress: BackupProgress = { totalPages: 0, remainingPages: 0 };
  while (handle !== 0 && !finished && !failed) {
    if (!source.isOpen) {
      failed = stateError('The database was closed while a backup of it was running');
      break;
    }
    const pages = options.progress?.(progress) ?? PAGES_PER_TURN;
    const result = c.backupStep(handle, pages);
    progress = { totalPages: c.backupPagecount(handle), remainingPages: c.backupRemaining(handle) };
    const busy = code.primary(result) === code.BUSY || code.primary(result) === code.LOCKED;
    if (result === code.DONE) finished = true;
    else if (result === code.OK) deadline = giveUpAt();
    else if (!busy || host.monotonic() > deadline) failed = source.failure(result);
    if (!finished && !failed) await pause(busy ? RETRY_DELAY : 0);
  }
  if (handle !== 0) c.backupFinish(handle);
  target.close();
  if (failed) throw failed;
  return progress;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
