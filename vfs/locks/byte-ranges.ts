// The five-level lock ladder on SQLite's own byte ranges, with open file description locks.
//
// Native SQLite takes POSIX locks on the same bytes; the kernel lets the two kinds exclude each other, between processes
// and inside one. An open file description lock belongs to our descriptor, so a stray open and close of the same file
// elsewhere in the process does not drop it, and two connections of one process need no table between them.
// Source: https://sqlite.org/lockingv3.html, and the comments on unixLock() in SQLite's os_unix.c.

import * as code from '../codes.ts';
import { LOCK, type LockLevel } from '../codes.ts';
import type { Errnos } from '../errno.ts';
import type { FaultLog } from '../fault.ts';
import { type Host, RANGE, type RangeLock } from '../host.ts';
import type { LockLadder } from '../vfs.ts';
import { PENDING_BYTE, RESERVED_BYTE, SHARED_FIRST, SHARED_SIZE } from './lock-bytes.ts';

/** True when the answer of a lock call means that somebody else holds the lock, and not that locking failed. */
export function isConflict(result: number, errnos: Errnos): boolean {
  return result === -errnos.number('EAGAIN') || result === -errnos.number('EACCES');
}

export class ByteRangeLadder implements LockLadder {
  level: LockLevel = LOCK.NONE;
  readonly #host: Host;
  readonly #errnos: Errnos;
  readonly #log: FaultLog;
  readonly #fd: number;
  readonly #path: string;

  constructor(host: Host, errnos: Errnos, log: FaultLog, fd: number, path: string) {
    this.#host = host;
    this.#errnos = errnos;
    this.#log = log;
    this.#fd = fd;
    this.#path = path;
  }

  lock(wanted: LockLevel): number {
    if (this.level >= wanted) return code.OK;
    if (wanted === LOCK.SHARED) return this.#toShared();
    if (wanted === LOCK.RESERVED) return this.#take(RANGE.WRITE, RESERVED_BYTE, 1, LOCK.RESERVED, 'RESERVED');
    return this.#toExclusive();
  }

  unlock(wanted: LockLevel): number {
    if (this.level <= wanted) return code.OK;
    if (wanted === LOCK.SHARED) {
      // The read lock first: between a dropped PENDING and a missing SHARED a writer could slip in.
      const shared = this.#host.lock(this.#fd, RANGE.READ, SHARED_FIRST, SHARED_SIZE);
      if (shared < 0) return this.#fail(code.IOERR_RDLOCK, shared, 'going back to a SHARED lock');
      const dropped = this.#host.lock(this.#fd, RANGE.UNLOCK, PENDING_BYTE, 2);
      if (dropped < 0) return this.#fail(code.IOERR_UNLOCK, dropped, 'dropping the PENDING and RESERVED locks');
    } else {
      const dropped = this.#host.lock(this.#fd, RANGE.UNLOCK, 0, 0);
      if (dropped < 0) return this.#fail(code.IOERR_UNLOCK, dropped, 'dropping all locks');
    }
    this.level = wanted;
    return code.OK;
  }

  /** Asks the kernel, never our own SHARED lock: an answer from memory would hide a hot journal for ever. */
  reserved(): number {
    if (this.level >= LOCK.RESERVED) return 1;
    const held = this.#host.heldBy(this.#fd, RANGE.WRITE, RESERVED_BYTE, 1);
    if (typeof held !== 'number') return held === undefined ? 0 : 1;
    return -this.#fail(code.IOERR_CHECKRESERVEDLOCK, held, 'asking who holds the RESERVED lock');
  }

  #toShared(): number {
    const pending = this.#host.lock(this.#fd, RANGE.READ, PENDING_BYTE, 1);
    if (pending < 0) return this.#refused(pending, PENDING_BYTE, 1, RANGE.READ, 'PENDING');
    const shared = this.#host.lock(this.#fd, RANGE.READ, SHARED_FIRST, SHARED_SIZE);
    const dropped = this.#host.lock(this.#fd, RANGE.UNLOCK, PENDING_BYTE, 1);
    if (shared < 0) return this.#refused(shared, SHARED_FIRST, SHARED_SIZE, RANGE.READ, 'SHARED');
    // From here the SHARED lock is held, whatever became of PENDING.
    this.level = LOCK.SHARED;
    if (dropped < 0) return this.#fail(code.IOERR_UNLOCK, dropped, 'dropping the PENDING lock');
    return code.OK;
  }

  #toExclusive(): number {
    // PENDING keeps new readers out while the old ones leave. A connection that comes from SHARED wants to roll back a hot
    // journal: two of them must not wait for each other behind one PENDING, so they take the shared range alone.
    if (this.level === LOCK.RESERVED) {
      const pending = this.#take(RANGE.WRITE, PENDING_BYTE, 1, LOCK.PENDING, 'PENDING');
      if (pending !== code.OK) return pending;
    }
    return this.#take(RANGE.WRITE, SHARED_FIRST, SHARED_SIZE, LOCK.EXCLUSIVE, 'EXCLUSIVE');
  }

  #take(kind: RangeLock, start: number, length: number, level: LockLevel, name: string): number {
    const result = this.#host.lock(this.#fd, kind, start, length);
    if (result < 0) return this.#refused(result, start, length, kind, name);
    this.level = level;
    return code.OK;
  }

  #refused(result: number, start: number, length: number, kind: RangeLock, name: string): number {
    if (!isConflict(result, this.#errnos)) return this.#fail(code.IOERR_LOCK, result, `taking the ${name} lock`);
    return this.#log.busy({
      path: this.#path,
      lock: name,
      place: { database: this.#path, part: 'main', fd: this.#fd },
      holder: () => {
        const held = this.#host.heldBy(this.#fd, kind, start, length);
        return typeof held === 'number' ? undefined : held;
      },
    });
  }

  #fail(result: number, errno: number, doing: string): number {
    return this.#log.fail(result, 'fcntl(F_OFD_SETLK)', this.#path, errno, doing);
  }
}
