// What every write to a database shows in, so that two looks can be compared: identity, size and time of change of its files.

import type { FileStatus, Host } from '../../vfs/host.ts';

/** Of the main file, its log and its journal. A wal-index is left out: it is written through memory, which moves no time. */
const PARTS = ['', '-wal', '-journal'];

/** Equal for two looks between which nothing was written, made or removed. */
export function marksOf(host: Host, path: string): string {
  return PARTS.map((part) => markOf(host.status(path + part))).join();
}

function markOf(status: FileStatus | number): string {
  return typeof status === 'number' ? '' : [status.dev, status.ino, status.size, status.modifiedAt].join(' ');
}
