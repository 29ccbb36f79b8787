// The journal policy carried out on a connection: what it decides is done, checked, and reported where it had no effect.

import * as code from '../../vfs/codes.ts';
import { LOCK } from '../../vfs/codes.ts';
import type { DatabaseFile } from '../../vfs/database-file.ts';
import type { FileVfs } from '../../vfs/file-vfs.ts';
import { describeHolders } from '../../vfs/holders/describe.ts';
import { holdersOf } from '../../vfs/holders/scan.ts';
import { decideJournal, type JournalDecision, LEAVE_OR_MOVE, notInEffect } from '../../vfs/journal/policy.ts';
import { DatabaseLockedError, LockingError, StorageError } from '../error.ts';
import type { Connection } from './connection.ts';
import { findMount, refusalError } from './explain-error.ts';
import type { Findings } from './findings.ts';
import type { OpenOptions } from './options.ts';

/**
 * Decides on the journal mode of a file that was just opened, before SQLite has read a byte of it. What is answered sets the
 * mode, or says why it is not in effect.
 */
export function planJournal(connection: Connection, file: DatabaseFile, options: OpenOptions, findings: Findings): () => void {
  const { path, ground, journal } = file;
  const { journal: asked = 'auto', requireWal = false } = options;
  const decision = decideJournal({
    path,
    onDisk: journal,
    // Dot-file locks were asked for, so that a rollback journal is no news.
    configured: options.locking === 'dotfile' && asked === 'auto' && journal !== 'wal' ? 'keep' : asked,
    ground,
    canShareMemory: file.walIndex !== undefined,
    readonly: connection.isReadonly,
    requireWal,
  });
  if (decision.refusal) throw refusalError(path, decision.refusal);
  return () => {
    for (const finding of decision.findings) {
      const overridden = finding.code === 'journal-mode-not-in-effect';
      findings.add(overridden ? notInEffect(path, asked, 'wal', whoHolds(connection, path)) : finding);
    }
    carryOut({ connection, file, findings, requireWal }, decision);
  };
}

/** Of a database that a statement opened: nothing is changed, and its owner is told where WAL is not safe. */
export function adviseOnAttached(file: DatabaseFile, findings: Findings): void {
  const { path, ground, journal } = file;
  const question = { path, onDisk: journal, ground, canShareMemory: true, readonly: true, requireWal: false };
  for (const finding of decideJournal({ ...question, configured: 'keep' }).findings) findings.add(finding);
}

interface Task {
  readonly connection: Connection;
  readonly file: DatabaseFile;
  readonly findings: Findings;
  readonly requireWal: boolean;
}

function carryOut(task: Task, decision: JournalDecision): void {
  const { connection, file, findings } = task;
  switch (decision.action) {
    case 'keep':
      return;
    case 'leave-wal':
      return leaveWal(connection, file, findings);
    case 'switch-later':
      connection.firstWrite.await((madeByUs) => {
        demandInPlace(file);
        // A hot journal is played back by this, and then shows what the file was.
        connection.exec(READ);
        // Somebody else may have made the database in the meantime; then his choice stands.
        if (madeByUs || file.journalNow() === 'fresh') switchTo(task, 'wal');
      });
      return;
    case 'switch':
      demandInPlace(file);
      return switchTo(task, decision.mode as string);
  }
}

const READ = 'SELECT 1 FROM main.sqlite_schema LIMIT 1';

/** SQLite looks for this itself before it writes a rollback journal; before it enters WAL it does not. */
function demandInPlace(file: DatabaseFile): void {
  if (!file.hasMoved()) return;
  const hint = 'Open it again.';
  throw new StorageError(`${file.path} was replaced or removed since it was opened, so nothing was written. ${hint}`, {
    code: 'SQLITE_READONLY_DBMOVED',
    resultCode: code.READONLY_DBMOVED,
    path: file.path,
    hint,
  });
}

function switchTo({ connection, file, findings, requireWal }: Task, wanted: string): void {
  let got: string | undefined;
  try {
    // Read first: this rolls a hot journal back, and asking for a mode that is in effect would still take a lock.
    connection.exec(READ);
    got = connection.pragmaText('main.journal_mode');
    if (got !== wanted) got = connection.pragmaText(`main.journal_mode=${wanted}`);
  } catch (error) {
    if (!(error instanceof DatabaseLockedError) || requireWal) throw error;
    got ??= 'another mode';
  }
  if (got === wanted) return;
  const finding = notInEffect(file.path, wanted, got ?? 'another mode', whoHolds(connection, file.path));
  if (requireWal)
    throw refusalError(file.path, { code: 'HOLDFAST_WAL_UNUSABLE', message: finding.message, hint: `${finding.remedy}.` });
  findings.add(finding);
}

/** Our own process counts where it holds a lock: this connection has none now, so another one of ours does. */
function whoHolds(connection: Connection, path: string): string {
  const { host } = connection.runtime;
  const report = holdersOf(host, path);
  const idle = report.holders.some(({ pid, locks }) => pid === host.processId && locks.length === 0);
  return describeHolders(report, { self: host.processId, now: host.now(), ...(idle ? { except: host.processId } : {}) });
}

/**
 * A WAL database where no memory can be shared: nobody could read it here, so it goes back to a rollback journal, if that is
 * safe: nothing waits in its WAL and nobody has it open. Else an error says what to do.
 */
function leaveWal(connection: Connection, file: DatabaseFile, findings: Findings): void {
  const { path, ground } = file;
  const { host } = connection.runtime;
  const waiting = Math.max(0, host.sizeAt(`${path}-wal`));
  if (waiting > 0) throw walUnusable(file, connection.vfs, `its WAL holds ${waiting} bytes that are not in the database yet`);
  if (connection.isReadonly) throw walUnusable(file, connection.vfs, 'it was opened readonly, so it cannot be converted');
  // Another machine's connection shows itself here by its sidecars alone.
  if (!ground.walSafe && (host.sizeAt(`${path}-wal`) >= 0 || host.sizeAt(`${path}-shm`) >= 0))
    throw walUnusable(file, connection.vfs, 'somebody beyond this mount may have it open, since it has a -wal or -shm file');
  // Holding the file alone (which fails while anybody has it open), SQLite needs no shared memory to leave WAL.
  connection.exec('PRAGMA locking_mode=EXCLUSIVE');
  connection.exec('PRAGMA journal_mode=DELETE');
  connection.exec('PRAGMA locking_mode=NORMAL; SELECT 1 FROM sqlite_schema LIMIT 1');
  if (file.locks.level > LOCK.NONE)
    throw walUnusable(file, connection.vfs, 'its lock could not be given back after the conversion');
  const message = 'it was in WAL mode, which cannot work on this mount; it was converted to a rollback journal (DELETE)';
  findings.add({ severity: 'warning', code: 'left-wal', path, message });
}

function walUnusable(file: DatabaseFile, vfs: FileVfs, why: string): LockingError {
  const { path } = file;
  const mount = findMount(vfs, path);
  const where = mount ? `the mount ${mount.mountPoint} (type ${mount.fsType})` : 'this file system';
  const hint = LEAVE_OR_MOVE(path);
  return new LockingError(`${path} is in WAL mode, but ${where} cannot share memory between processes; ${why}. ${hint}`, {
    code: 'HOLDFAST_WAL_UNUSABLE',
    resultCode: code.CANTOPEN,
    path,
    hint,
    ...(mount ? { mount: { mountPoint: mount.mountPoint, fsType: mount.fsType, source: mount.source } } : {}),
  });
}
