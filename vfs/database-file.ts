// One open main database file: a plain file with a lock ladder, a wal-index where one can be shared, and its file controls.

import * as code from './codes.ts';
import { IOCAP } from './codes.ts';
import type { Errnos } from './errno.ts';
import type { FaultLog } from './fault.ts';
import type { FileStatus, Host } from './host.ts';
import { declaredMode, declareRollback, type JournalOnDisk, journalOnDisk } from './journal/on-disk.ts';
import { mayShareWalIndex, walRefused } from './journal/policy.ts';
import type { Classification } from './mount/classification.ts';
import { PlainFile } from './plain-file.ts';
import type { DatabaseControls, LockLadder, WalIndex } from './vfs.ts';

/** Growth by SIZE_HINT touches each block of this size, so that a full disk shows at once. */
const BLOCK = 4096;

export interface DatabaseFileParts {
  fd: number;
  path: string;
  identity: FileStatus;
  ground: Classification;
  journal: JournalOnDisk;
  locks: LockLadder;
  walIndex: WalIndex | undefined;
}

export class DatabaseFile extends PlainFile implements DatabaseControls {
  readonly locks: LockLadder;
  readonly walIndex?: WalIndex;
  readonly controls: DatabaseControls = this;
  persistWal = false;
  powersafeOverwrite = true;
  chunkSize = 0;
  /** What it stands on, as it was when it was opened. */
  readonly ground: Classification;
  /** The journal mode that it declared when it was opened. */
  readonly journal: JournalOnDisk;
  /** It may be put into WAL mode. Where it may not, SQLite's own ways around shared memory are closed too. */
  walAllowed: boolean;
  /** Made as a copy: a page that would declare WAL where it is not allowed declares a rollback journal. */
  keepsRollback = false;
  readonly #identity: FileStatus;

  constructor(host: Host, errnos: Errnos, log: FaultLog, parts: DatabaseFileParts) {
    super(host, errnos, log, parts.fd, parts.path, false);
    this.#identity = parts.identity;
    this.ground = parts.ground;
    this.journal = parts.journal;
    this.walAllowed = mayShareWalIndex(parts.journal, parts.ground);
    this.locks = parts.locks;
    if (parts.walIndex) this.walIndex = parts.walIndex;
  }

  /** Whether memory can be shared through a file here, as WAL needs it. */
  canShareMemory(): boolean {
    return this.host.canMap && this.host.probeMap(this.fd) >= 0;
  }

  /** The journal mode that it declares now. */
  journalNow(): JournalOnDisk {
    return journalOnDisk(this.host, this.errnos, this.fd, this.path);
  }

  override get characteristics(): number {
    return (this.powersafeOverwrite ? IOCAP.POWERSAFE_OVERWRITE : 0) | IOCAP.SUBPAGE_READ;
  }

  override write(from: Uint8Array, at: number, length: number, offset: number): number {
    if (offset === 0 && !this.walAllowed && declaredMode(from.subarray(at, at + length)) === 'wal') {
      if (!this.keepsRollback) return this.log.refuse(code.IOERR_WRITE, this.path, walRefused(this.path, this.ground));
      declareRollback(from, at);
    }
    return super.write(from, at, length, offset);
  }

  override close(): number {
    this.walIndex?.unmap(false);
    // Dropped by name and not left to close(2): a mapping or an inherited descriptor could keep the locks alive.
    this.locks.unlock(code.LOCK.NONE);
    return super.close();
  }

  sizeHint(size: number): number {
    if (this.chunkSize <= 0) return code.OK;
    const target = Math.ceil(size / this.chunkSize) * this.chunkSize;
    const now = this.size();
    if (now < 0) return -now;
    const zero = new Uint8Array(1);
    for (let end = Math.floor(now / BLOCK) * BLOCK + BLOCK; end < target + BLOCK; end += BLOCK) {
      const last = Math.min(end, target) - 1;
      if (last < now) continue;
      const result = this.write(zero, 0, 1, last);
      if (result !== code.OK) return result;
    }
    return code.OK;
  }

  hasMoved(): boolean {
    const there = this.host.status(this.path);
    return typeof there === 'number' || there.ino !== this.#identity.ino || there.dev !== this.#identity.dev;
  }

  get lastErrno(): number {
    return this.log.fault?.errno ?? 0;
  }
}
