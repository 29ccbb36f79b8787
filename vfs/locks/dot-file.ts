// The dot-file ladder: one folder `<database>.lock` stands for every lock level, as SQLite's own `unix-dotfile` VFS makes it.
//
// For file systems without fcntl, and only where the caller asked for it. It excludes other users of unix-dotfile and
// nobody else; a killed holder leaves its folder behind. Source: dotlockLock() in SQLite's os_unix.c.

import * as code from '../codes.ts';
import { LOCK, type LockLevel } from '../codes.ts';
import type { Errnos } from '../errno.ts';
import type { FaultLog } from '../fault.ts';
import type { Host } from '../host.ts';
import type { LockLadder } from '../vfs.ts';

export function dotFilePath(databasePath: string): string {
  return `${databasePath}.lock`;
}

export class DotFileLadder implements LockLadder {
  level: LockLevel = LOCK.NONE;
  readonly #host: Host;
  readonly #errnos: Errnos;
  readonly #log: FaultLog;
  readonly #path: string;
  readonly #folder: string;

  constructor(host: Host, errnos: Errnos, log: FaultLog, path: string) {
    this.#host = host;
    this.#errnos = errnos;
    this.#log = log;
    this.#path = path;
    this.#folder = dotFilePath(path);
  }

  lock(wanted: LockLevel): number {
    if (this.level >= wanted) return code.OK;
    if (this.level > LOCK.NONE) {
      // The folder is ours already and excludes everybody. Its time shows others that we live.
      this.#host.touch(this.#folder);
    } else {
      const made = this.#host.makeDirectory(this.#folder, 0o777);
      if (made === -this.#errnos.number('EEXIST'))
        return this.#log.busy({ path: this.#path, lock: `dot-file ${this.#folder}`, place: undefined, holder: () => undefined });
      if (made < 0) return this.#log.fail(code.IOERR_LOCK, 'mkdir', this.#folder, made, 'taking the dot-file lock');
    }
    this.level = wanted;
    return code.OK;
  }

  unlock(wanted: LockLevel): number {
    if (this.level <= wanted) return code.OK;
    if (wanted === LOCK.NONE) {
      const removed = this.#host.removeDirectory(this.#folder);
      if (removed < 0 && removed !== -this.#errnos.number('ENOENT'))
        return this.#log.fail(code.IOERR_UNLOCK, 'rmdir', this.#folder, removed, 'dropping the dot-file lock');
    }
    this.level = wanted;
    return code.OK;
  }

  reserved(): number {
    // While the folder is ours nobody else can hold anything, so a hot journal that we see is really hot.
    if (this.level !== LOCK.NONE) return this.level >= LOCK.RESERVED ? 1 : 0;
    const there = this.#host.status(this.#folder);
    if (typeof there !== 'number') return 1;
    if (there === -this.#errnos.number('ENOENT')) return 0;
    return -this.#log.fail(code.IOERR_CHECKRESERVEDLOCK, 'stat', this.#folder, there, 'looking for the dot-file lock');
  }
}
