// The command `holdfast locks`: looks once, or again and again, and says what each look found.

import { Errnos } from '../../../vfs/errno.ts';
import type { HolderReport } from '../../../vfs/holders/holder.ts';
import { holdersOf, processNumbers } from '../../../vfs/holders/scan.ts';
import type { Host } from '../../../vfs/host.ts';
import { resolvePath } from '../../../vfs/paths.ts';
import { CallError } from '../call-error.ts';
import { EXIT } from '../exit.ts';
import { loadHost } from '../runtime.ts';
import { JsonPrinter } from './json-printer.ts';
import { TextPrinter } from './text-printer.ts';
import { watch } from './watch.ts';

export interface LocksOptions {
  watch?: boolean;
  /** Seconds. */
  interval: number;
  json?: boolean;
}

/** What one look found. */
export interface Look {
  /** The real path, or what was given where there is none. */
  readonly path: string;
  /** Why nothing could be said. */
  readonly failure: string | undefined;
  readonly report: HolderReport;
  readonly status: number;
}

export interface LookPrinter {
  print(look: Look): Promise<void> | void;
}

const NOBODY: HolderReport = { holders: [], unattributed: [], uninspected: 0, limits: [] };

/** Answers the exit status. */
export async function runLocks(file: string, options: LocksOptions): Promise<number> {
  if (file === '') throw new CallError('FILE is empty');
  const host = await loadHost();
  const watching = options.watch ?? false;
  const printer = options.json ? new JsonPrinter(watching) : new TextPrinter(watching ? options.interval : undefined);
  if (watching) return watch(() => look(host, file), printer, options.interval);
  const now = look(host, file);
  await printer.print(now);
  return now.status;
}

function look(host: Host, file: string): Look {
  const errnos = new Errnos(host.platform);
  const path = resolvePath(host, errnos, file);
  if (typeof path === 'number') return failed(file, `${file}: ${errnos.meaning(-path)}`);
  const status = host.status(path);
  const isAbsent = status === -errnos.number('ENOENT');
  if (typeof status === 'number' && !isAbsent) return failed(path, `${path}: ${errnos.meaning(-status)}`);
  if (typeof status !== 'number' && status.type !== 'file') {
    const what = status.type === 'directory' ? 'a directory; name the database file in it' : 'not a regular file';
    return failed(path, `${path} is ${what}`);
  }
  const report = holdersOf(host, path);
  const isLost = report.holders.some(({ files }) => files.some(({ lost }) => lost));
  if (isAbsent && !isLost) return failed(path, `there is no file ${path}`);
  if (processNumbers(host) === undefined) return failed(path, `who holds ${path} cannot be told: ${report.limits.join('; ')}`);
  return { path, failure: undefined, report, status: isLost ? EXIT.failure : EXIT.ok };
}

function failed(path: string, failure: string): Look {
  return { path, failure, report: NOBODY, status: EXIT.usage };
}
