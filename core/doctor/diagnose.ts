// From the facts about one database to what doctor says of it. Pure.

import { describeHolder, describeHolders } from '../../vfs/holders/describe.ts';
import type { HolderReport } from '../../vfs/holders/holder.ts';
import { shellWord } from '../../vfs/shell-word.ts';
import { type Facts, isHeld } from './examine.ts';
import type { HeaderFault } from './header.ts';
import { journalLines } from './journal-line.ts';
import { type Line, lineOf, type Weight } from './line.ts';
import { type MachineEngine, vulnerableUsers } from './machine-engine.ts';
import type { Opening } from './opens.ts';
import { walLines } from './wal-line.ts';

/** What is known beyond the files. */
export interface Circumstances {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly engines: readonly MachineEngine[];
  /** What came of opening it; undefined if it was not tried, because somebody has it open. */
  readonly opening: Opening | undefined;
}

const FAULT_WEIGHT: Readonly<Record<HeaderFault, Weight>> = {
  missing: 'unknown',
  'permission-denied': 'unknown',
  'io-error': 'unknown',
  directory: 'error',
  'not-a-regular-file': 'error',
  empty: 'warning',
  'too-short': 'error',
  zeroed: 'error',
  'not-a-database': 'error',
  'unknown-format-version': 'error',
};
const DAMAGED: readonly HeaderFault[] = ['too-short', 'zeroed', 'not-a-database', 'unknown-format-version'];

export function diagnose(facts: Facts, circumstances: Circumstances): Line[] {
  const { now, engines, opening } = circumstances;
  return [
    existenceLine(facts, opening, now),
    ...journalLines(facts, vulnerableUsers(engines, facts.holders), now),
    ...walLines(facts, now),
    ...lengthLines(facts),
    ...facts.surroundings.map((finding) => lineOf(facts.target.label, finding)),
    ...groundLines(facts),
    ...holderLines(facts, now),
  ];
}

function existenceLine({ target, header, holders }: Facts, opening: Opening | undefined, now: number): Line {
  const { label } = target;
  if (!header.ok) {
    const { fault, message } = header;
    const remedy = DAMAGED.includes(fault)
      ? `stop every process that uses it, copy ${shellWord(header.path)} and all its sidecars away, and restore a backup`
      : undefined;
    return { weight: FAULT_WEIGHT[fault], code: `file-${fault}`, text: `${label}: ${message}`, ...(remedy ? { remedy } : {}) };
  }
  if (opening === undefined)
    return {
      weight: 'info',
      code: 'in-use',
      text: `${label} exists; ${describeHolders(holders, { now })}`,
      ...(isBeingWritten(holders)
        ? { remedy: 'if others report "database is locked": it is this one who writes; let it finish, or stop it' }
        : {}),
    };
  if (opening.state === 'opens') {
    const counts = [count(opening.tables, 'table')];
    if (opening.sessions !== undefined) counts.push(count(opening.sessions, 'session'));
    return { weight: 'info', code: 'opens', text: `${label} exists and opens (${counts.join(', ')})` };
  }
  if (opening.state === 'skipped')
    return { weight: 'info', code: 'not-opened', text: `${label} exists; it was not opened: ${opening.reason}` };
  return {
    weight: 'error',
    code: 'does-not-open',
    text: `${label} does not open: ${opening.error.message}`,
    remedy: `stop every process that uses it, and copy ${shellWord(header.path)} and all its sidecars away before anything else`,
  };
}

function isBeingWritten({ holders }: HolderReport): boolean {
  return holders.some(({ locks }) => locks.some(({ lock }) => ['RESERVED', 'PENDING', 'EXCLUSIVE', 'WAL-write'].includes(lock)));
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

/** Pages that the header counts and the file lacks: certain only while nothing is in the WAL or a journal, and nobody writes. */
function lengthLines({ target, header, wal, hotJournal, surroundings, holders }: Facts): Line[] {
  if (!header.ok || header.header.sizesAgree !== false) return [];
  const logWaits = (wal?.validFrames ?? 0) > 0 || surroundings.some(({ code }) => code === 'wal-beside-rollback');
  const waiting = logWaits || hotJournal || isHeld(holders);
  const { pageCount, filePages, fileBytes, pageSize } = header.header;
  if (waiting || pageCount === undefined) return [];
  const text = `${target.label}: its header counts ${pageCount} pages of ${pageSize} bytes, but the file has ${fileBytes} bytes (${filePages} pages)`;
  const short = filePages < pageCount;
  return [
    {
      weight: short ? 'error' : 'warning',
      code: 'length-disagrees',
      text: short ? `${text}: it was cut off, or copied incompletely` : text,
      ...(short ? { remedy: 'copy it away before anything else, and restore a backup' } : {}),
    },
  ];
}

function groundLines({ target, ground, onDisk, synced, conflicts }: Facts): Line[] {
  const { label } = target;
  const lines: Line[] = [];
  if (ground.fileIsMountPoint)
    lines.push({
      weight: 'error',
      code: 'file-is-mount-point',
      text: `${label} is itself a mount point, so its -wal, -shm and -journal lie on another mount, where nobody else sees them`,
      remedy: 'mount the folder that holds it, and not the file alone',
    });
  else if (ground.class === 'unknown' && onDisk !== 'wal')
    lines.push({ weight: 'info', code: 'mount-unknown', text: `${label}: ${ground.reason}` });
  else if (!ground.walSafe && onDisk === 'rollback')
    lines.push({
      weight: 'info',
      code: 'shared-mount',
      text: `${label}: ${ground.reason}; its rollback journal survives taking turns, but not two writers at once`,
    });
  if (synced)
    lines.push({
      weight: 'warning',
      code: 'synced-folder',
      text: `${label} lies in a folder that ${synced.service} keeps in sync (${synced.evidence}): it copies the database and its sidecars one by one, at any moment`,
      remedy: 'move it to a folder that is not synced, and sync a backup of it instead',
    });
  if (conflicts.length > 0)
    lines.push({
      weight: 'warning',
      code: 'conflict-copies',
      text: `${label}: ${conflicts.length === 1 ? 'a conflict copy lies' : `${conflicts.length} conflict copies lie`} beside it (${conflicts.slice(0, 3).join(', ')}${conflicts.length > 3 ? ', …' : ''}), so two machines have changed it`,
      remedy: 'compare them before you delete any; nothing merges them by itself',
    });
  return lines;
}

/** A process that writes to a file which is no longer at the path writes for nobody. */
function holderLines({ target, holders }: Facts, now: number): Line[] {
  return holders.holders
    .filter(({ files }) => files.some(({ lost }) => lost))
    .map((holder) => ({
      weight: 'error',
      code: 'lost-file',
      text: `${target.label}: ${describeHolder(holder, { now })}: what it writes there, nobody else sees`,
      remedy: `copy what it has open (/proc/${holder.pid}/fd) if it holds unsaved work, then restart that process`,
    }));
}
