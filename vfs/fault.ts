// What the file layer remembers of a failure, so that the error a person reads can say which call, on which file, and why.

import { BUSY, INTERRUPT } from './codes.ts';
import type { DatabaseFile } from './database-file.ts';
import type { HeldLock } from './host.ts';
import type { Refusal } from './journal/policy.ts';

/** One system call that failed. */
export interface Fault {
  /** The SQLite result code that was answered for it. */
  code: number;
  /** The system call, as its man page is called: `open`, `fcntl(F_OFD_SETLK)`, `mmap`. */
  call: string;
  path: string;
  errno: number;
  /** What we were about to do, in words that can follow "while": "taking the RESERVED lock". */
  doing: string;
  /** It was not the system that failed: we refused. */
  refusal?: Refusal;
}

/** Where a lock of the kernel lies, for whoever wants to find out who holds it. */
export interface LockPlace {
  /** The main file of the database. */
  database: string;
  part: 'main' | 'shm';
  /** Our own descriptor, which asked and was refused. */
  fd: number;
}

/** One lock that somebody else held. */
export interface LockConflict {
  path: string;
  /** The lock that we asked for, by the name that `HolderLock` has for it: `RESERVED`, `EXCLUSIVE`, `WAL-write`. */
  lock: string;
  /** undefined for a dot-file, which no process holds. */
  place: LockPlace | undefined;
  /** Asks the kernel who holds it now. */
  holder: () => HeldLock | undefined;
}

/** Whoever is calling into SQLite at the moment: sleeps on his behalf, and knows whether he still wants to wait. */
export interface Waiter {
  sleep(milliseconds: number): void;
  /** A database file was opened in the course of the call: by ATTACH or VACUUM INTO. */
  opened?(file: DatabaseFile): void;
  /** True when the call is to end as soon as it would have to wait. */
  readonly interrupted: boolean;
}

/** Keeps the last failure and the last conflict of all files of one VFS. */
export class FaultLog {
  fault: Fault | undefined;
  conflict: LockConflict | undefined;
  waiter: Waiter | undefined;

  /** Notes a failed call and answers its result code. `result` is -errno, as the host gave it. */
  fail(code: number, call: string, path: string, result: number, doing: string): number {
    this.fault = { code, call, path, errno: -result, doing };
    return code;
  }

  /** Notes that we refused, and answers the result code. */
  refuse(code: number, path: string, refusal: Refusal): number {
    this.fault = { code, call: '', path, errno: 0, doing: refusal.message, refusal };
    return code;
  }

  /** Notes a lock that is not free and answers BUSY; or INTERRUPT, which SQLite does not try again, if nobody is waiting any more. */
  busy(conflict: LockConflict): number {
    this.conflict = conflict;
    return this.waiter?.interrupted ? INTERRUPT : BUSY;
  }
}
