// Whether a write-ahead log can be the log of the database beside it, or was left by another file or another time.
//
// A restored or synced database beside an old log is silently overwritten by it at the next open, so it is worth a hard look.

import type { DatabaseHeader } from './header.ts';
import type { FirstPage, WalHeader } from './wal-file.ts';

export interface FitEvidence {
  /** The database's header, read before the log and again after it: a live one moves on meanwhile. */
  readonly before: DatabaseHeader;
  readonly after: DatabaseHeader;
  readonly wal: WalHeader;
  /** Committed frames of the log, and the pages that the database has after them. */
  readonly lastCommitFrame: number;
  readonly commitPages: number;
  /** The counts come from a wal-index: some SQLite has used the two together. */
  readonly byIndex: boolean;
  /** Nobody committed while we looked. */
  readonly steady: boolean;
  readonly firstPages: { readonly first: FirstPage; readonly last: FirstPage } | undefined;
}

export interface Fit {
  readonly doesNotFit: string | undefined;
  readonly suspicious: readonly string[];
}

/** SQLite never uses the page that holds its lock bytes, so a growing file can lack that one. */
const LOCK_PAGE = 1;
/** Deleting and vacuuming shrink a database too; to less than this part of it they rarely do. */
const SHRINK = 1 / 2;

export function judgeFit(evidence: FitEvidence): Fit {
  if (evidence.lastCommitFrame === 0) return { doesNotFit: undefined, suspicious: [] };
  return { doesNotFit: misfit(evidence), suspicious: suspicions(evidence) };
}

function misfit(evidence: FitEvidence): string | undefined {
  const { before, after, wal, lastCommitFrame, commitPages, steady, firstPages } = evidence;
  if (wal.pageSize !== after.pageSize) return `the log has pages of ${wal.pageSize} bytes, the database of ${after.pageSize}`;
  // SQLite writes a change counter that is at least the one it read in the page before, and one more at most.
  if (firstPages && firstPages.last.changeCounter < before.changeCounter)
    return `the database is newer than the log: its change counter is ${before.changeCounter}, that of the log's last copy of page 1 is ${firstPages.last.changeCounter}`;
  if (firstPages && firstPages.first.changeCounter > after.changeCounter + 1)
    return `the database is older than what the log was begun on: its change counter is ${after.changeCounter}, that of the log's first copy of page 1 is ${firstPages.first.changeCounter}`;
  const missing = commitPages - after.filePages - LOCK_PAGE;
  if (steady && missing > lastCommitFrame)
    return `the log would make a database of ${commitPages} pages, but the file has ${after.filePages} and the log only ${lastCommitFrame} frames: the pages between are in neither`;
  return undefined;
}

function suspicions(evidence: FitEvidence): string[] {
  const { before, byIndex, commitPages, firstPages } = evidence;
  const found: string[] = [];
  if (!byIndex && commitPages < before.filePages * SHRINK)
    found.push(`the log would shrink the database from ${before.filePages} pages to ${commitPages}`);
  if (!firstPages) return found;
  const { last } = firstPages;
  if (last.schemaCookie < before.schemaCookie)
    found.push(`the log has an older schema (cookie ${last.schemaCookie}) than the database (${before.schemaCookie})`);
  if (last.applicationId !== before.applicationId && last.applicationId !== 0 && before.applicationId !== 0)
    found.push(`the log belongs to application id ${last.applicationId}, the database to ${before.applicationId}`);
  return found;
}
