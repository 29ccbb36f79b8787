// A look at the holders for people: a table of processes, then what could not be seen.

import { enumerate, timeText } from '../../../vfs/holders/describe.ts';
import type { Holder, HolderLock, HolderReport } from '../../../vfs/holders/holder.ts';
import { escapeLine } from '../output/escape.ts';
import { stderr, stdout } from '../output/output.ts';
import { TableFormat } from '../output/table.ts';
import type { Look, LookPrinter } from './command.ts';

/** Clears the screen and goes to its upper left corner (ECMA-48: ED, CUP). */
const CLEAR = '\x1b[2J\x1b[H';

export class TextPrinter implements LookPrinter {
  readonly #interval: number | undefined;
  #isFirst = true;

  /** `interval` in seconds if there will be more looks. */
  constructor(interval: number | undefined) {
    this.#interval = interval;
  }

  async print({ path, failure, report }: Look): Promise<void> {
    if (this.#interval !== undefined) this.#head(path, this.#interval);
    if (failure !== undefined) stderr.write(`holdfast: ${escapeLine(failure)}\n`);
    else {
      if (report.holders.length > 0) await printTable(report.holders);
      for (const line of remarks(path, report)) stdout.write(`${escapeLine(line)}\n`);
    }
    stdout.flush();
  }

  #head(path: string, interval: number): void {
    const isTerminal = process.stdout.isTTY === true;
    if (isTerminal) stdout.write(CLEAR);
    else if (!this.#isFirst) stdout.write('\n');
    this.#isFirst = false;
    const end = isTerminal ? '; Ctrl-C ends' : '';
    stdout.write(`${escapeLine(path)} at ${new Date().toTimeString().slice(0, 8)}, every ${interval} s${end}\n`);
  }
}

async function printTable(holders: readonly Holder[]): Promise<void> {
  // Most machines have no containers, and the column would be empty.
  const withWhere = holders.some(({ container }) => container !== undefined);
  const table = new TableFormat(stdout).begin(['pid', 'since', ...(withWhere ? ['where'] : []), 'files', 'locks', 'command']);
  const now = Date.now();
  for (const holder of holders) {
    const { pid, startedAt, container, command } = holder;
    const since = startedAt === undefined ? '?' : timeText(startedAt, now);
    await table.row([
      BigInt(pid),
      since,
      ...(withWhere ? [container ?? ''] : []),
      filesOf(holder),
      locksOf(holder.locks),
      command,
    ]);
  }
  await table.end();
}

function filesOf({ files }: Holder): string {
  return files.map(({ part, lost }) => (lost ? `${part} (lost)` : part)).join(', ');
}

/** `POSIX RESERVED, SHARED; OFD dead-man`. */
function locksOf(locks: readonly HolderLock[]): string {
  const byOwner = (owner: HolderLock['owner']) => locks.filter((lock) => lock.owner === owner).map(({ lock }) => lock);
  const [posix, ofd] = [byOwner('POSIX').join(', '), byOwner('OFD').join(', ')];
  return [posix && `POSIX ${posix}`, ofd && `OFD ${ofd}`].filter(Boolean).join('; ') || '-';
}

function remarks(path: string, { holders, unattributed, uninspected, limits }: HolderReport): string[] {
  const lines: string[] = [];
  const isUnsure = unattributed.length > 0 || uninspected > 0 || limits.length > 0;
  if (holders.length === 0) lines.push(isUnsure ? `nobody is seen to have ${path} open` : `nobody has ${path} open`);
  for (const { pid, files } of holders) {
    const lost = files.filter((file) => file.lost).map(({ part }) => part);
    if (lost.length > 0)
      lines.push(
        `process ${pid} uses a ${enumerate(lost)} file that is not at the path any more: what it writes there, nobody else sees. Stop it, but keep its files first if they matter (/proc/${pid}/fd)`,
      );
  }
  if (unattributed.length > 0) lines.push(`held by somebody who cannot be found: ${locksOf(unattributed)}`);
  if (uninspected > 0)
    lines.push(
      uninspected === 1
        ? '1 process cannot be inspected and may have it open too'
        : `${uninspected} processes cannot be inspected and may have it open too`,
    );
  for (const limit of limits) lines.push(limit);
  return lines;
}
