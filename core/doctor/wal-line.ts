// The lines about a write-ahead log: whether it fits the database, what waits in it, and who keeps it from shrinking.

import { describeProcess } from '../../vfs/holders/describe.ts';
import type { HolderReport } from '../../vfs/holders/holder.ts';
import { shellWord } from '../../vfs/shell-word.ts';
import { type Facts, readSlot } from './examine.ts';
import type { Line } from './line.ts';
import { sizeText } from './size-text.ts';
import type { WalHealth } from './wal-health.ts';

/** Bytes that wait to be checkpointed, above which somebody should look: the agents' own doctor warns at the same size. */
export const LARGE_LOG = 50 * 2 ** 20;
/** What a frame needs beyond its page (https://sqlite.org/fileformat2.html#walformat). */
const FRAME_HEADER_BYTES = 24;

export function walLines(facts: Facts, now: number): Line[] {
  const { target, path, wal } = facts;
  if (wal === undefined) return [];
  const { label } = target;
  if (wal.unreadable !== undefined)
    return [{ weight: 'unknown', code: 'wal-unreadable', text: `${label}: its WAL could not be examined: ${wal.unreadable}` }];
  if (wal.doesNotFit !== undefined)
    return [
      {
        weight: 'error',
        code: 'wal-does-not-fit',
        text: `${label}: its -wal does not belong to it: ${wal.doesNotFit}`,
        remedy: `open it with nothing yet: copy ${shellWord(path)} and its -wal away together, and find out which of the two was replaced`,
      },
    ];
  const suspicious: Line[] = wal.suspicious.map((text) => ({
    weight: 'warning',
    code: 'wal-suspicious',
    text: `${label}: ${text}`,
  }));
  const lines = wal.unreachable > 0 ? [...suspicious, damageLine(facts, wal)] : suspicious;
  return wal.walBytes ? [...lines, contentLine(facts, wal, now)] : lines;
}

/** SQLite says nothing of it: it takes the log to end before the damage. */
function damageLine({ target, path }: Facts, { lastCommitFrame, unreachable }: WalHealth): Line {
  return {
    weight: 'warning',
    code: 'wal-damaged',
    text: `${target.label}: its WAL is torn or damaged: ${lastCommitFrame} of ${frames(lastCommitFrame + unreachable)} are readable, and what was committed in those after is lost at the next open`,
    remedy: `before any program opens it, copy ${shellWord(path)} and ${shellWord(`${path}-wal`)} away together`,
  };
}

function contentLine(facts: Facts, wal: WalHealth, now: number): Line {
  const { target, header, holders } = facts;
  const size = sizeText(wal.walBytes ?? 0);
  const about = `${target.label}: WAL of ${size}`;
  if (wal.busy) return { weight: 'info', code: 'wal-busy', text: `${about}, written to right now` };
  if (wal.fullyCheckpointed)
    return { weight: 'info', code: 'wal-checkpointed', text: `${about}, fully checkpointed (${frames(wal.validFrames)})` };
  const pending = wal.pending ?? 0;
  const bytes = header.ok ? pending * (header.header.pageSize + FRAME_HEADER_BYTES) : 0;
  const more = wal.complete ? '' : ' or more';
  const pinned = pinnedBy(wal, holders, now);
  const text = `${about}: ${frames(pending)}${more} (${sizeText(bytes)}) not checkpointed yet${pinned ? `, held up by ${pinned}` : ''}`;
  if (bytes <= LARGE_LOG) return { weight: 'info', code: 'wal-pending', text };
  return {
    weight: 'warning',
    code: 'wal-large',
    text,
    remedy: pinned
      ? 'let that reader finish; the next checkpoint then empties the WAL'
      : holders.holders.length > 0
        ? "it shrinks at the writer's next checkpoint; if it never does, stop its processes and run: holdfast doctor --fix"
        : 'run: holdfast doctor --fix, which checkpoints it while nobody uses it',
  };
}

function frames(count: number): string {
  return count === 1 ? '1 frame' : `${count} frames`;
}

function pinnedBy(wal: WalHealth, { holders }: HolderReport, now: number): string {
  return (wal.pinnedBy ?? [])
    .map((slot) => {
      const reader = holders.find(({ locks }) => locks.some(({ lock }) => readSlot(lock).includes(slot)));
      return reader ? `${describeProcess(reader, { now })} in reader slot ${slot}` : `reader slot ${slot}`;
    })
    .join(' and ');
}
