// The wal-index of one connection: the `-shm` file mapped, really shared, into the engine's memory, and its eight locks.
//
// SQLite reads marks and headers of the wal-index between its lock calls, so a copy made at lock boundaries is not enough:
// the very pages of the file have to lie in the memory that the engine sees.
// Source: https://sqlite.org/walformat.html and unixOpenSharedMemory(), unixShmMap() in SQLite's os_unix.c.

import * as code from '../codes.ts';
import { SHM } from '../codes.ts';
import type { Errnos } from '../errno.ts';
import type { FaultLog, LockPlace } from '../fault.ts';
import { type Host, type MappableMemory, RANGE } from '../host.ts';
import { inheritAccess } from '../inherit.ts';
import { isConflict } from '../locks/byte-ranges.ts';
import { DEAD_MAN_BYTE, DEAD_MAN_LOCK, SHM_LOCK_BASE, WAL_LOCKS } from '../locks/lock-bytes.ts';
import type { Answer, WalIndex } from '../vfs.ts';

/** What native SQLite truncates a stale -shm to; not 0, so that a stat can tell it from one never used. */
const STALE_SIZE = 3;
/** A file system block: a byte is written into each, since a hole on a full disk is a SIGBUS when it is touched. */
const BLOCK = 4096;

/** One for the thread: its value means nothing, only the access does. */
const BARRIER = new Int32Array(new SharedArrayBuffer(4));

export class MappedWalIndex implements WalIndex {
  readonly #host: Host;
  readonly #errnos: Errnos;
  readonly #log: FaultLog;
  readonly #databasePath: string;
  readonly #path: string;
  readonly #mainFd: number;
  #fd = -1;
  #readOnly = false;
  /** Read-only and nobody alive: the content may be anything, so SQLite must build its own index on the heap. */
  #abandoned = false;
  #memory: MappableMemory | undefined;
  #blocks: number[] = [];
  #blockSize = 0;

  constructor(host: Host, errnos: Errnos, log: FaultLog, databasePath: string, mainFd: number) {
    this.#host = host;
    this.#errnos = errnos;
    this.#log = log;
    this.#databasePath = databasePath;
    this.#path = `${databasePath}-shm`;
    this.#mainFd = mainFd;
  }

  map(index: number, size: number, extend: boolean, memory: MappableMemory): Answer<number> {
    if (this.#fd < 0) {
      const opened = this.#open();
      if (opened !== code.OK) return { code: opened, value: 0 };
    } else if (this.#abandoned) {
      const alive = this.#joinLiving();
      if (alive !== code.OK) return { code: alive, value: 0 };
    }
    this.#memory = memory;
    const moved = this.#checkMemory();
    if (moved !== code.OK) return { code: moved, value: 0 };

    // One mapping must be a whole number of memory pages, which are 64 KiB on some arm64 kernels.
    const perBlock = Math.max(1, Math.floor(this.#host.pageSize / size));
    this.#blockSize = perBlock * size;
    const block = Math.floor(index / perBlock);
    const grown = this.#ensureSize((block + 1) * this.#blockSize, extend);
    if (grown.code !== code.OK || !grown.value) return { code: grown.code || this.#resultWhenFine(), value: 0 };
    while (this.#blocks.length <= block) {
      const mapped = this.#mapNextBlock(memory);
      if (mapped !== code.OK) return { code: mapped, value: 0 };
    }
    return { code: this.#resultWhenFine(), value: (this.#blocks[block] as number) + (index % perBlock) * size };
  }

  lock(offset: number, count: number, flags: number): number {
    const moved = this.#checkMemory();
    if (moved !== code.OK) return moved;
    if (this.#fd < 0) return this.#log.fail(code.IOERR_SHMLOCK, 'fcntl', this.#path, 0, 'locking a wal-index not open');
    const kind = flags & SHM.UNLOCK ? RANGE.UNLOCK : flags & SHM.SHARED ? RANGE.READ : RANGE.WRITE;
    const result = this.#host.lock(this.#fd, kind, SHM_LOCK_BASE + offset, count);
    if (result >= 0) return code.OK;
    const name = WAL_LOCKS[offset] ?? `byte ${SHM_LOCK_BASE + offset}`;
    if (!isConflict(result, this.#errnos)) return this.#lockFailed(result, `taking the ${name} lock`);
    const fd = this.#fd;
    return this.#log.busy({
      path: this.#path,
      lock: name,
      place: this.#place(fd),
      holder: () => {
        const held = this.#fd === fd ? this.#host.heldBy(fd, kind, SHM_LOCK_BASE + offset, count) : undefined;
        return typeof held === 'number' ? undefined : held;
      },
    });
  }

  barrier(): void {
    // A read-modify-write on shared memory is a full barrier in every engine; the call itself keeps the compiler from moving loads.
    Atomics.add(BARRIER, 0, 1);
  }

  unmap(remove: boolean): number {
    const memory = this.#memory;
    if (memory) {
      for (const block of this.#blocks) {
        // Anonymous memory goes back before the block is freed: a forgotten mapping would let a later allocation
        // scribble on somebody's wal-index. Where that fails the block is kept for ever rather than given out again.
        if (this.#host.unmap(memory, block, this.#blockSize) >= 0) memory.release(block);
      }
    }
    this.#blocks = [];
    if (this.#fd >= 0) {
      // Unlinked while the dead-man byte is still ours, so that nobody joins a file that is about to go.
      if (remove) this.#host.unlink(this.#path);
      this.#host.close(this.#fd);
      this.#fd = -1;
    }
    return code.OK;
  }

  #open(): number {
    const main = this.#host.statusOf(this.#mainFd);
    if (typeof main === 'number')
      return this.#log.fail(code.IOERR_FSTAT, 'fstat', this.#path, main, 'finding the mode for the wal-index');
    const how = { create: true, exclusive: false, noFollow: true, mode: main.mode, write: true };
    let fd = this.#host.open(this.#path, how);
    this.#readOnly = false;
    if (fd < 0) {
      const firstFailure = fd;
      fd = this.#host.open(this.#path, { ...how, create: false, write: false });
      if (fd < 0) return this.#log.fail(code.CANTOPEN, 'open', this.#path, firstFailure, 'opening the wal-index');
      this.#readOnly = true;
    }
    if (!this.#readOnly) inheritAccess(this.#host, fd, main);
    this.#fd = fd;
    const joined = this.#joinLiving();
    if (joined !== code.OK && joined !== code.READONLY_CANTINIT) {
      this.#host.close(fd);
      this.#fd = -1;
    }
    return joined;
  }

  /** Takes our share of the dead-man byte. Whoever finds it free is the first, and what the file holds is stale. */
  #joinLiving(): number {
    const held = this.#host.heldBy(this.#fd, RANGE.WRITE, DEAD_MAN_BYTE, 1);
    if (typeof held === 'number') return this.#lockFailed(held, 'asking who holds the dead-man byte');
    if (held?.kind === 'write') return this.#deadManBusy();
    if (held === undefined) {
      if (this.#readOnly) {
        this.#abandoned = true;
        return code.READONLY_CANTINIT;
      }
      const first = this.#host.lock(this.#fd, RANGE.WRITE, DEAD_MAN_BYTE, 1);
      if (first < 0)
        return isConflict(first, this.#errnos) ? this.#deadManBusy() : this.#lockFailed(first, 'taking the dead-man byte');
      const cut = this.#host.truncate(this.#fd, STALE_SIZE);
      if (cut < 0) return this.#log.fail(code.IOERR_SHMOPEN, 'ftruncate', this.#path, cut, 'clearing a stale wal-index');
    }
    const share = this.#host.lock(this.#fd, RANGE.READ, DEAD_MAN_BYTE, 1);
    if (share < 0)
      return isConflict(share, this.#errnos) ? this.#deadManBusy() : this.#lockFailed(share, 'sharing the dead-man byte');
    this.#abandoned = false;
    return code.OK;
  }

  #deadManBusy(): number {
    const fd = this.#fd;
    return this.#log.busy({
      path: this.#path,
      lock: DEAD_MAN_LOCK,
      place: this.#place(fd),
      holder: () => {
        // Held for writing only while the first connection clears a stale file.
        const held = this.#fd === fd ? this.#host.heldBy(fd, RANGE.READ, DEAD_MAN_BYTE, 1) : undefined;
        return typeof held === 'number' ? undefined : held;
      },
    });
  }

  #place(fd: number): LockPlace {
    return { database: this.#databasePath, part: 'shm', fd };
  }

  #resultWhenFine(): number {
    return this.#readOnly ? code.READONLY : code.OK;
  }

  #ensureSize(needed: number, extend: boolean): Answer<boolean> {
    const size = this.#host.size(this.#fd);
    if (size < 0)
      return { code: this.#log.fail(code.IOERR_SHMSIZE, 'fstat', this.#path, size, 'measuring the wal-index'), value: false };
    if (size >= needed) return { code: code.OK, value: true };
    if (!extend) return { code: code.OK, value: false };
    const zero = new Uint8Array(1);
    for (let block = Math.floor(size / BLOCK); block < needed / BLOCK; block++) {
      const written = this.#host.write(this.#fd, zero, 0, 1, block * BLOCK + BLOCK - 1);
      if (written < 0)
        return { code: this.#log.fail(code.IOERR_SHMSIZE, 'pwrite', this.#path, written, 'growing the wal-index'), value: false };
    }
    return { code: code.OK, value: true };
  }

  #mapNextBlock(memory: MappableMemory): number {
    const at = memory.allocate(this.#host.pageSize, this.#blockSize);
    if (at === 0) return code.NOMEM;
    const offset = this.#blocks.length * this.#blockSize;
    const result = this.#host.map(this.#fd, offset, this.#blockSize, memory, at, !this.#readOnly);
    if (result < 0) {
      memory.release(at);
      return this.#log.fail(code.IOERR_SHMMAP, 'mmap', this.#path, result, 'mapping the wal-index');
    }
    this.#blocks.push(at);
    return code.OK;
  }

  #checkMemory(): number {
    if (this.#memory === undefined) return code.OK;
    const moved = this.#host.checkMemory(this.#memory);
    if (moved >= 0) return code.OK;
    return this.#log.fail(
      code.IOERR_SHMMAP,
      'mmap',
      this.#path,
      moved,
      'finding the wal-index where it was mapped (memory moved)',
    );
  }

  #lockFailed(result: number, doing: string): number {
    return this.#log.fail(code.IOERR_SHMLOCK, 'fcntl(F_OFD_SETLK)', this.#path, result, doing);
  }
}
