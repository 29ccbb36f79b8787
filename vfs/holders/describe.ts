// Holders in words, for errors and refusals: `process 4711 (python3 agent.py, since 14:03) holds RESERVED`.

import type { Holder, HolderReport } from './holder.ts';
import { tellingLocks } from './lock-names.ts';

/** Characters of a command line that a sentence can bear. */
const MAX_COMMAND = 80;
export const THIS_PROCESS = 'this process';
/** Processes that are named one by one. */
const MAX_NAMED = 5;
/** Controls, line ends, marks that reorder text, lone surrogates: what another process calls itself must not break our line. */
const UNSAFE = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Cs}/gu;

export interface DescribeOptions {
  /** A process that is left out. */
  readonly except?: number;
  /** Our own process. */
  readonly self?: number;
  /** Milliseconds since 1970: what began today is told by its time alone. */
  readonly now?: number;
}

/** One sentence about all that is known, without a full stop and without a line end. */
export function describeHolders(report: HolderReport, options: DescribeOptions = {}): string {
  const holders = report.holders.filter(({ pid }) => pid !== options.except);
  const said = holders.slice(0, MAX_NAMED).map((holder) => describeHolder(holder, options));
  if (holders.length > MAX_NAMED) said.push(`${holders.length - MAX_NAMED} more have it open`);
  const locks = tellingLocks(report.unattributed.map(({ lock }) => lock));
  if (locks.length > 0) said.push(`somebody who cannot be found holds ${enumerate(locks)}`);
  if (said.length === 0) said.push(`nobody${options.except === undefined ? '' : ' else'} is seen to have it open`);
  const { uninspected } = report;
  if (uninspected > 0)
    said.push(
      uninspected === 1
        ? '1 process cannot be inspected and may have it open'
        : `${uninspected} processes cannot be inspected and may have it open`,
    );
  return [...said, ...report.limits].join('; ');
}

/** What one process does with the database. */
export function describeHolder(holder: Holder, options: DescribeOptions = {}): string {
  const who = describeProcess(holder, options);
  const lost = holder.files.filter((file) => file.lost).map(({ part }) => part);
  const locks = tellingLocks(holder.locks.map(({ lock }) => lock));
  const does = locks.length > 0 ? `holds ${enumerate(locks)}` : holder.files.every((file) => file.lost) ? '' : 'has it open';
  const astray = lost.length === 0 ? '' : `uses a ${enumerate(lost)} file that is no longer at the path`;
  return `${who} ${[does, astray].filter(Boolean).join(' and ')}`;
}

/** `process 4711 (python3 agent.py, since 14:03, in docker 3f2a9c01b2d4)`. */
export function describeProcess(
  holder: Pick<Holder, 'pid' | 'command' | 'startedAt' | 'container'>,
  options: DescribeOptions = {},
): string {
  if (holder.pid === options.self) return `${THIS_PROCESS} (${holder.pid})`;
  const facts = [shortCommand(holder.command)];
  if (holder.startedAt !== undefined) facts.push(`since ${timeText(holder.startedAt, options.now ?? Date.now())}`);
  if (holder.container !== undefined) facts.push(`in ${safe(holder.container)}`);
  return `process ${holder.pid} (${facts.join(', ')})`;
}

/** At most 80 characters: without the folder of the program, and without the middle, if need be. */
export function shortCommand(command: string): string {
  const whole = safe(command);
  if ([...whole].length <= MAX_COMMAND) return whole;
  const characters = [...whole.replace(/^\/\S*\//, '')];
  if (characters.length <= MAX_COMMAND) return characters.join('');
  const head = Math.ceil((MAX_COMMAND - 1) / 2);
  const tail = MAX_COMMAND - 1 - head;
  return `${characters.slice(0, head).join('')}…${characters.slice(-tail).join('')}`;
}

/** Local time; with the date unless it is that of `now`. */
export function timeText(time: number, now: number): string {
  const [then, today] = [new Date(time), new Date(now)];
  const clock = `${twoDigits(then.getHours())}:${twoDigits(then.getMinutes())}`;
  if (then.toDateString() === today.toDateString()) return clock;
  return `${then.getFullYear()}-${twoDigits(then.getMonth() + 1)}-${twoDigits(then.getDate())} ${clock}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function enumerate(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

function safe(text: string): string {
  return text.replace(UNSAFE, ' ');
}
