// What to do about what a probe found: sentences, in the order of preference, each without a full stop.

import type { Exchange, Sight } from './evidence.ts';
import type { EndCode } from './ground.ts';

export const ELSEWHERE =
  'Better: keep it on a file system of one kernel (a volume, not a shared folder), and let others ask the process there';
export const ROLLBACK =
  'Keep databases here in rollback mode (`holdfast journal FILE delete`); Holdfast does so by itself for new ones';

/** No journal mode renames anything, so that this is no verdict. */
export const REPLACING =
  'Replace no file here by renaming another over it while others use it: it was missing or mixed for a moment';

export const ADVICE_ON_ENDS: Record<EndCode, string[]> = {
  'no-peer': ['Start `holdfast probe DIR --peer` on both sides, within the time of --timeout, on the same folder'],
  'third-side': [],
  'peer-left': ['Run both sides again'],
  'peer-silent': ['Look whether the other side still runs, and run both again'],
  'out-of-step': ['Use the same version of Holdfast on both sides'],
  'folder-failed': ['Name a folder in which this user may make files'],
};

export function oneAtATime(peer: boolean): string {
  return peer
    ? 'Let only one side at a time have a database here open; readers count too'
    : 'Let only one process at a time have a database here open; readers count too';
}

/** A file that is opened after the other side has closed it must show what was written; else turns do not help either. */
export function takingTurns({ writes }: Exchange): string {
  const seen = writes && [writes.ours, writes.theirs].every((side) => isAtOnce(side.created) && isAtOnce(side.reopened));
  return seen
    ? 'Use a rollback journal even so (`holdfast journal FILE delete`): it survives taking turns, WAL does not'
    : 'Do not rely on taking turns either: a file that is opened anew still shows what it held before';
}

export function isAtOnce(sight: Sight): boolean {
  return sight.outcome === 'seen' && sight.atOnce;
}
