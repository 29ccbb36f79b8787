// What the kernel itself says: the locks on a file (/proc/locks) and the descriptors that lead to it (/proc/<pid>/fd).

import fs from 'node:fs';
import path from 'node:path';

export interface KernelLock {
  /** Open file description locks are ours, POSIX locks those of native SQLite. */
  kind: 'OFDLCK' | 'POSIX';
  type: 'READ' | 'WRITE';
  /** -1 for an open file description lock. */
  pid: number;
  start: number;
  end: number;
}

/** The locks on one file. Lines look like `1: OFDLCK ADVISORY  WRITE -1 fe:00:2154770 128 128`, see proc_locks(5). */
export function locksOn(file: string): KernelLock[] {
  const inode = String(fs.statSync(file, { bigint: true }).ino);
  const lines = fs.readFileSync('/proc/locks', 'utf8').split('\n');
  return lines.flatMap((line) => {
    const match = line.match(/^\d+: (OFDLCK|POSIX)\s+\S+\s+(READ|WRITE)\s+(-?\d+)\s+\w+:\w+:(\d+) (\d+) (\d+|EOF)$/);
    if (!match || match[4] !== inode) return [];
    const [, kind, type, pid, , start, end] = match as unknown as [string, KernelLock['kind'], KernelLock['type'], ...string[]];
    return [{ kind, type, pid: Number(pid), start: Number(start), end: end === 'EOF' ? Number.POSITIVE_INFINITY : Number(end) }];
  });
}

/** Where the descriptors of a process lead that are open on this database or one of its sidecars. */
export function descriptorsOn(database: string, pid: number | 'self' = 'self'): string[] {
  return descriptors(pid).filter((target) => target.startsWith(database));
}

export function descriptors(pid: number | 'self' = 'self'): string[] {
  const folder = `/proc/${pid}/fd`;
  return fs.readdirSync(folder).flatMap((fd) => {
    try {
      return [fs.readlinkSync(path.join(folder, fd))];
    } catch {
      // The descriptor that was reading the folder.
      return [];
    }
  });
}

/** Lock bytes of a database file (https://sqlite.org/lockingv3.html) and of its -shm file. */
export const RESERVED_BYTE = 0x40000001;
export const SHARED_FIRST = 0x40000002;
export const SHM_WRITE_BYTE = 120;
export const SHM_DEAD_MAN_BYTE = 128;

export function holds(locks: KernelLock[], type: KernelLock['type'], byte: number): boolean {
  return locks.some((lock) => lock.type === type && lock.start <= byte && byte <= lock.end);
}
