// The journal policy: which journal mode a database gets on this ground, and what its owner has to be told. Pure: from what
// is known to a decision. Our engine does not have SQLite's WAL-reset bug, so its version plays no part.

import type { Finding } from '../finding.ts';
import type { Classification } from '../mount/classification.ts';
import { shellWord } from '../shell-word.ts';
import type { JournalOnDisk } from './on-disk.ts';

/** Journal modes that can be asked for (https://sqlite.org/pragma.html#pragma_journal_mode), and two of our own. */
export const JOURNAL_MODES = ['auto', 'keep', 'wal', 'delete', 'truncate', 'persist', 'memory', 'off'] as const;
export type JournalMode = (typeof JOURNAL_MODES)[number];

export interface JournalQuestion {
  readonly path: string;
  readonly onDisk: JournalOnDisk;
  readonly configured: JournalMode;
  readonly ground: Classification;
  /** Kernel locks and a shared mapping of the wal-index work here. */
  readonly canShareMemory: boolean;
  readonly readonly: boolean;
  /** The caller cannot live without WAL. */
  readonly requireWal: boolean;
}

export interface JournalDecision {
  /**
   * `keep`: leave the file as it is. `switch`: to `mode`, now. `switch-later`: to `mode`, when the new database is first
   * written. `leave-wal`: convert to a rollback journal if nobody has it open and nothing waits in its WAL, else refuse.
   */
  readonly action: 'keep' | 'switch' | 'switch-later' | 'leave-wal';
  readonly mode?: Exclude<JournalMode, 'auto' | 'keep'>;
  readonly findings: readonly Finding[];
  /** Why the database cannot be opened as configured. */
  readonly refusal?: Refusal;
}

/** Why something is not done, and what to do instead. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export function decideJournal(question: JournalQuestion): JournalDecision {
  switch (question.onDisk) {
    case 'wal':
      return onWal(question);
    case 'rollback':
    case 'fresh':
    case 'begun':
      return withoutWal(question);
    case 'unknown':
      return onUnknown(question);
    case 'orphan-wal':
      return { action: 'keep', findings: [], refusal: orphanWal(question.path) };
    case 'foreign':
      return onForeign(question);
  }
}

/** An empty or missing file beside a WAL that holds data. */
export function orphanWal(path: string): Refusal {
  return {
    code: 'HOLDFAST_ORPHAN_WAL',
    message: `${path} is empty, but its WAL (${path}-wal) holds data, which SQLite would delete`,
    hint: 'If the database was lost, copy both files away before anything else; if that WAL is a leftover, move it away.',
  };
}

/** A write that would put a database into WAL mode where that is not safe. */
export function walRefused(path: string, ground: Classification): Refusal {
  return {
    code: 'HOLDFAST_WAL_UNSAFE',
    message: `${path} was not put into WAL mode, because that is not safe here: ${ground.reason}`,
    hint: `Leave its rollback journal; "holdfast journal FILE wal --force" converts it all the same.`,
  };
}

/** Whether the memory of a wal-index may be shared for this file: no WAL is entered where it is not safe, nor a live one left. */
export function mayShareWalIndex(onDisk: JournalOnDisk, ground: Classification): boolean {
  return ground.walSafe || !['fresh', 'begun', 'rollback'].includes(onDisk);
}

function onWal(question: JournalQuestion): JournalDecision {
  const { configured, ground, path } = question;
  if (!question.canShareMemory) {
    if (question.requireWal || configured === 'keep') return refuseWithoutMemory(question);
    return { action: 'leave-wal', findings: [] };
  }
  const findings: Finding[] = [];
  if (!question.readonly && !['auto', 'keep', 'wal'].includes(configured)) findings.push(notInEffect(path, configured, 'wal'));
  if (!ground.walSafe) findings.push(walOnUnsafeMount(path, ground));
  return { action: 'keep', findings };
}

/** A database without WAL, or none yet. */
function withoutWal(question: JournalQuestion): JournalDecision {
  const { onDisk, configured, ground, path, requireWal } = question;
  const fresh = onDisk !== 'rollback';
  const wanted = configured === 'auto' ? (fresh || requireWal ? 'wal' : 'keep') : configured;
  const walCanBe = ground.walSafe && question.canShareMemory;
  if (requireWal && (question.readonly || wanted !== 'wal' || !walCanBe)) return refuseWithoutWal(question);
  if (question.readonly || wanted === 'keep') return keep();
  if (wanted !== 'wal') return { action: 'switch', mode: wanted, findings: [] };
  if (!walCanBe) return { action: 'keep', findings: [rollbackInstead(question)] };
  // The first write is early enough, and until then a page size can still be chosen.
  if (fresh && configured === 'auto' && !requireWal) return { action: 'switch-later', mode: 'wal', findings: [] };
  return { action: 'switch', mode: 'wal', findings: fresh ? [] : [journalUpgrade(path)] };
}

/** SQLite itself says best what is wrong with it, as soon as it reads. */
function onForeign({ configured }: JournalQuestion): JournalDecision {
  return configured === 'auto' || configured === 'keep' ? keep() : { action: 'switch', mode: configured, findings: [] };
}

function onUnknown(question: JournalQuestion): JournalDecision {
  const { configured, path } = question;
  const why = 'its journal mode could not be read from its header';
  if (question.requireWal || !['auto', 'keep', 'wal'].includes(configured))
    return refuse(
      'HOLDFAST_JOURNAL_UNKNOWN',
      `${path}: ${why}, so it cannot be verified that ${question.requireWal ? 'wal' : configured} is in effect`,
      'Open it again when the file system answers; to open it as it is, leave the journal mode to auto.',
    );
  if (configured === 'keep') return keep();
  const message = `${why}; nothing was changed`;
  return { action: 'keep', findings: [{ severity: 'warning', code: 'journal-mode-unknown', path, message }] };
}

function keep(): JournalDecision {
  return { action: 'keep', findings: [] };
}

function refuse(code: string, message: string, hint: string): JournalDecision {
  return { action: 'keep', findings: [], refusal: { code, message, hint } };
}

function refuseWithoutWal(question: JournalQuestion): JournalDecision {
  const { path, configured } = question;
  const why =
    question.readonly || (configured !== 'wal' && configured !== 'auto')
      ? `it has a rollback journal, and was opened ${question.readonly ? 'readonly' : `with journal: '${configured}'`}`
      : whyNotWal(question);
  const hint = question.ground.walSafe
    ? "Open it for writing with journal: 'wal', or without requireWal."
    : 'Put it on a native file system, such as a named volume, or open it without requireWal.';
  return refuse('HOLDFAST_WAL_UNUSABLE', `WAL is required for ${path}, but ${why}`, hint);
}

function whyNotWal({ ground, canShareMemory }: JournalQuestion): string {
  if (ground.walSafe && !canShareMemory) return 'memory cannot be shared between processes here (mmap)';
  return ground.reason;
}

/** No kind of journal makes two machines at once safe. */
const ROLLBACK_REMEDY =
  'nothing while one machine alone uses it; never use it from two sides of the mount at once, and for WAL move it to a native file system, such as a named volume';

function rollbackInstead(question: JournalQuestion): Finding {
  const { path, onDisk, ground } = question;
  const what =
    onDisk !== 'rollback' ? 'the new database gets a rollback journal instead of WAL' : 'it keeps its rollback journal';
  return {
    severity: 'warning',
    code: 'rollback-instead-of-wal',
    path,
    message: `${what}, because ${whyNotWal(question)}`,
    ...(ground.walSafe ? {} : { remedy: ground.fileIsMountPoint ? (ground.remedy ?? ROLLBACK_REMEDY) : ROLLBACK_REMEDY }),
  };
}

function walOnUnsafeMount(path: string, ground: Classification): Finding {
  return {
    severity: 'error',
    code: 'wal-on-unsafe-mount',
    path,
    message: `it is in WAL mode, which is not safe here: ${ground.reason}`,
    ...(ground.remedy === undefined ? {} : { remedy: remedyFor(ground.remedy, path) }),
  };
}

/** Advice on a mount, for one database on it. */
export function remedyFor(advice: string, path: string): string {
  return advice.replace('journal FILE', `journal ${shellWord(path)}`);
}

/** What was configured is not so. `held` says who has the file, once somebody has looked. */
export function notInEffect(path: string, configured: string, effective: string, held?: string): Finding {
  return {
    severity: 'error',
    code: 'journal-mode-not-in-effect',
    path,
    message: `journal mode ${configured} is configured, but ${effective} is in effect${held === undefined ? '' : `; ${held}`}`,
    remedy: `when no process uses it, run: holdfast journal ${shellWord(path)} ${configured === 'wal' ? 'wal' : 'delete'}`,
  };
}

function journalUpgrade(path: string): Finding {
  const message = 'it had a rollback journal and is switched to WAL, as configured';
  return { severity: 'warning', code: 'journal-upgrade', path, message };
}

/** A WAL database that can be opened only by taking it out of WAL, which was ruled out. */
function refuseWithoutMemory({ path, requireWal }: JournalQuestion): JournalDecision {
  const why = requireWal ? 'WAL was required' : "journal: 'keep' was given";
  const message = `${path} is in WAL mode, for which memory cannot be shared between processes here (mmap), and ${why}`;
  return refuse('HOLDFAST_WAL_UNUSABLE', message, LEAVE_OR_MOVE(path));
}

/** The two ways out for a WAL database where WAL cannot be. */
export const LEAVE_OR_MOVE = (path: string) =>
  `Run "holdfast journal ${shellWord(path)} delete" while nobody uses it, or move it with its sidecars to a native file system.`;
