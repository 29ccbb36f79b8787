// Looking into a file that doctor examines: opened for reading alone, never a FIFO or a device, and closed again.
//
// Closing a descriptor of a database drops every POSIX lock that the process holds on it (fcntl(2)). So this is for a process
// in which nobody, no other library either, has the database open: the command `holdfast doctor`, and the like.

import { Errnos } from '../../vfs/errno.ts';
import type { FileStatus, Host } from '../../vfs/host.ts';

/** Why a file could not be looked into. */
export class Unreadable {
  readonly why: 'absent' | 'denied' | 'directory' | 'link' | 'special' | 'failed';
  /** For people, without a full stop: `permission denied (EACCES)`. */
  readonly reason: string;
  /** The name of the system's error, where there was one. */
  readonly errno: string | undefined;

  constructor(why: Unreadable['why'], reason: string, errno?: string) {
    this.why = why;
    this.reason = reason;
    this.errno = errno;
  }

  /** From what a Host answered: -errno. */
  static failure(host: Host, result: number): Unreadable {
    const errnos = new Errnos(host.platform);
    const errno = errnos.name(-result);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return new Unreadable('absent', 'it does not exist', errno);
    const why = errno === 'EACCES' || errno === 'EPERM' ? 'denied' : 'failed';
    return new Unreadable(why, `${errnos.meaning(-result)} (${errno})`, errno);
  }
}

export interface ReadableFile {
  readonly fd: number;
  readonly status: FileStatus;
}

const READING = { write: false, create: false, exclusive: false, noFollow: true, mode: 0 } as const;

/** What lies at a path itself, or -errno; ELOOP for a symbolic link, which is not followed. */
export function statusUnfollowed(host: Host, path: string): FileStatus | number {
  return isLink(host, path) ? -new Errnos(host.platform).number('ELOOP') : host.status(path);
}

export function isLink(host: Host, path: string): boolean {
  return typeof host.readLink(path) === 'string';
}

/** Opens the regular file at a path without symbolic links, hands it to `use` and closes it. */
export function lookInto<T>(host: Host, path: string, use: (file: ReadableFile) => T): T | Unreadable {
  if (isLink(host, path)) return new Unreadable('link', 'it is a symbolic link');
  // Looked at before it is opened: opening a FIFO for reading would wait for ever.
  const before = host.status(path);
  if (typeof before === 'number') return Unreadable.failure(host, before);
  if (before.type === 'directory') return new Unreadable('directory', 'it is a directory');
  if (before.type !== 'file') return new Unreadable('special', 'it is a pipe, a socket or a device, so it was not opened');
  const fd = host.open(path, READING);
  if (fd < 0) return Unreadable.failure(host, fd);
  try {
    const status = host.statusOf(fd);
    return typeof status === 'number' ? Unreadable.failure(host, status) : use({ fd, status });
  } finally {
    host.close(fd);
  }
}
