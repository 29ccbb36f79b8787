// What `doctor --fix` may do: empty a WAL that nobody uses, and close private files to others. Only when it is provably quiet.

import { describeHolders } from '../../vfs/holders/describe.ts';
import type { Host } from '../../vfs/host.ts';
import { shellWord } from '../../vfs/shell-word.ts';
import type { Runtime } from '../database/runtime.ts';
import { HoldfastError } from '../error.ts';
import { checkpointAll, withClaim } from './claim.ts';
import { type Facts, isHeld } from './examine.ts';
import type { Line } from './line.ts';
import { sizeText } from './size-text.ts';

/** Permission bits of group and others. */
const OTHERS = 0o077;
const PARTS = ['', '-wal', '-shm', '-journal'];

/** Whether something can be done for this database. */
export function needsFix(host: Host, facts: Facts): boolean {
  return hasLog(facts) || openToOthers(host, facts).length > 0;
}

/** Does it, and says what was done, or why not and whom to stop. */
export function fix(runtime: Runtime, facts: Facts): Line[] {
  const obstacle = whyNotQuiet(runtime, facts);
  if (obstacle) return [obstacle];
  const lines: Line[] = [];
  if (hasLog(facts)) lines.push(emptyLog(runtime, facts));
  const open = openToOthers(runtime.host, facts);
  if (open.length > 0) lines.push(closeToOthers(runtime.host, facts, open));
  return lines;
}

function hasLog({ wal, header }: Facts): boolean {
  return header.ok && (wal?.walBytes ?? 0) > 0;
}

function skipped({ target }: Facts, why: string, remedy?: string): Line {
  const text = `${target.label}: nothing was changed, because ${why}`;
  return { weight: 'warning', code: 'fix-skipped', text, ...(remedy === undefined ? {} : { remedy }) };
}

function whyNotQuiet(runtime: Runtime, facts: Facts): Line | undefined {
  const { ground, holders, wal, surroundings } = facts;
  const { processId, ...host } = { processId: runtime.host.processId, now: runtime.host.now() };
  if (isHeld(holders)) {
    const who = describeHolders(holders, { self: processId, now: host.now });
    return skipped(facts, `it is in use: ${who}`, 'stop these processes, and run it again');
  }
  if (!ground.walSafe)
    return skipped(
      facts,
      'programs on the other side of its mount cannot be seen from here',
      `stop them, and run: holdfast journal ${shellWord(facts.path)} delete`,
    );
  if (wal?.doesNotFit !== undefined) return skipped(facts, 'its WAL does not belong to it');
  if ((wal?.unreachable ?? 0) > 0)
    return skipped(facts, 'its WAL is damaged, and emptying it would throw away what can perhaps be recovered');
  if (surroundings.some(({ code }) => code === 'sidecar-symbolic-link'))
    return skipped(facts, 'a file beside it is a symbolic link');
  return undefined;
}

function emptyLog(runtime: Runtime, facts: Facts): Line {
  try {
    withClaim(runtime, facts.path, checkpointAll);
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return skipped(facts, error.message);
  }
  const text = `${facts.target.label}: its WAL of ${sizeText(facts.wal?.walBytes ?? 0)} was checkpointed and removed`;
  return { weight: 'info', code: 'fixed-wal', text };
}

interface OpenFile {
  path: string;
  mode: number;
}

function openToOthers(host: Host, { target, path, header }: Facts): OpenFile[] {
  if (!target.private || !header.ok) return [];
  return PARTS.flatMap((part) => {
    const file = path + part;
    const status = host.status(file);
    const isLink = typeof host.readLink(file) === 'string';
    if (typeof status === 'number' || status.type !== 'file' || isLink || !(status.mode & OTHERS)) return [];
    return [{ path: file, mode: status.mode }];
  });
}

function closeToOthers(host: Host, facts: Facts, files: readonly OpenFile[]): Line {
  for (const { path, mode } of files) {
    const result = host.changeModeAt(path, mode & ~OTHERS);
    if (result < 0) return skipped(facts, `the mode of ${path} could not be changed (it belongs to somebody else)`);
  }
  const text = `${facts.target.label}: no longer readable by other users`;
  return { weight: 'info', code: 'fixed-mode', text };
}
