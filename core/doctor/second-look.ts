// A second look before the alarm: what is only wrong with a database at rest is no fault of one that somebody is using.
//
// Holders and files cannot be looked at in one moment. Users come and go between the two, so that a journal seems to be nobody's.
// It is proven only by this order: the files, then nobody has them, then the same files again.

import { scanHolders } from '../../vfs/holders/scan.ts';
import type { Host } from '../../vfs/host.ts';
import { examine, type Facts, isHeld } from './examine.ts';
import { marksOf } from './file-marks.ts';
import type { Line } from './line.ts';

/** What a user who is writing makes it look like for a moment, while he has it open. */
const WHILE_HELD = ['hot-journal', 'journal-beside-wal', 'orphan-journal', 'does-not-open', 'length-disagrees', 'wal-damaged'];
/** What it looks like if it changes between two of our looks at its files. Under a user who does nothing it is real. */
const WHILE_CHANGING = [...WHILE_HELD, 'wal-beside-rollback', 'orphan-wal', 'wal-does-not-fit', 'wal-suspicious'];

/** A database, and what is said of it. */
export interface Judged {
  readonly facts: Facts;
  readonly lines: readonly Line[];
}

/** Looks again if `first` has lines that may not be true of a live database; of one that is, they become news. */
export async function secondLook(host: Host, first: Judged, judge: (facts: Facts) => Promise<Line[]>): Promise<Judged> {
  if (!first.lines.some((line) => isAlarm(line, WHILE_CHANGING))) return first;
  const { target, path } = first.facts;
  const before = marksOf(host, path);
  const holders = scanHolders(host, [target.path]).get(target.path) ?? first.facts.holders;
  const facts = examine(host, target, holders);
  const lines = await judge(facts);
  const passing = marksOf(host, path) !== before ? WHILE_CHANGING : isHeld(holders) ? WHILE_HELD : [];
  return { facts, lines: lines.map((line) => (isAlarm(line, passing) ? asNews(line) : line)) };
}

function isAlarm({ weight, code }: Line, codes: readonly string[]): boolean {
  return (weight === 'warning' || weight === 'error') && codes.includes(code);
}

function asNews({ code, text }: Line): Line {
  return { weight: 'info', code, text: `${text}; but it is in use right now, and this may be a passing state: look again later` };
}
