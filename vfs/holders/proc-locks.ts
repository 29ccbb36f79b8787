// The kernel's words about locks, parsed: lines of /proc/locks, and the text of /proc/PID/fdinfo/FD.
//
// Source: proc_locks(5), proc_pid_fdinfo(5), and lock_get_status() in the kernel's fs/locks.c.

/** One byte-range lock that somebody holds. Other kinds (flock, leases) are not SQLite's and are left out. */
export interface LockLine {
  readonly owner: 'POSIX' | 'OFD';
  readonly kind: 'read' | 'write';
  /** undefined for an open file description lock, which carries none. */
  readonly pid: number | undefined;
  /** Device and inode as the kernel writes them, `fe:00:2400419`. The device is that of the superblock, not always st_dev. */
  readonly file: string;
  readonly start: number;
  /** The last byte; infinite where the lock goes to the end of the file. */
  readonly end: number;
}

/** What fdinfo says of one descriptor. */
export interface DescriptorInfo {
  /** Since Linux 5.14. */
  readonly ino: string | undefined;
  /** Number of the mount it was opened through, as in the first field of mountinfo. */
  readonly mountId: string | undefined;
  /** The locks that were taken through this very descriptor: its process's POSIX locks and its own OFD locks. */
  readonly locks: readonly LockLine[];
}

/** `1: OFDLCK  ADVISORY  WRITE -1 fe:00:2154770 128 128`. Somebody who only waits has `->` behind the number: no match. */
const LOCK = /^\s*\d+: (POSIX|OFDLCK)\s+\S+\s+(READ|WRITE)\s+(-?\d+)\s+([0-9a-f]+:[0-9a-f]+:\d+)\s+(\d+)\s+(\d+|EOF)\s*$/;

export function parseLockLine(line: string): LockLine | undefined {
  const match = LOCK.exec(line);
  if (match === null) return undefined;
  const [, owner, kind, pid, file, start, end] = match as unknown as [string, string, string, string, string, string, string];
  return {
    owner: owner === 'POSIX' ? 'POSIX' : 'OFD',
    kind: kind === 'READ' ? 'read' : 'write',
    // 0 and less: no process, or none that this pid namespace has a number for.
    pid: owner === 'POSIX' && Number(pid) > 0 ? Number(pid) : undefined,
    file,
    start: Number(start),
    end: end === 'EOF' ? Number.POSITIVE_INFINITY : Number(end),
  };
}

/** Parses the text of /proc/locks. */
export function parseLocks(text: string): LockLine[] {
  return text.split('\n').flatMap((line) => parseLockLine(line) ?? []);
}

/** Parses the text of a /proc/PID/fdinfo/FD. */
export function parseDescriptorInfo(text: string): DescriptorInfo {
  return {
    ino: /^ino:\s*(\d+)$/m.exec(text)?.[1],
    mountId: /^mnt_id:\s*(\d+)$/m.exec(text)?.[1],
    locks: [...text.matchAll(/^lock:(.*)$/gm)].flatMap((match) => parseLockLine(match[1] as string) ?? []),
  };
}
