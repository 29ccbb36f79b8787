// Open file description locks through fcntl(2): taking, dropping, and asking who is in the way.

import { type HeldLock, RANGE, type RangeLock } from '../../vfs/host.ts';
import type { Libc } from './libc.ts';

const SEEK_SET = 0;
const EINTR = 4;

export class RangeLocks {
  readonly #libc: Libc;
  readonly #flock: { address: number; view: DataView };

  constructor(libc: Libc) {
    this.#libc = libc;
    this.#flock = libc.allocate(libc.layout.flock.size);
  }

  lock(fd: number, kind: RangeLock, start: number, length: number): number {
    this.#fillFlock(kind, start, length);
    const { fcntl, layout, errno } = this.#libc;
    for (;;) {
      if (fcntl(fd, layout.setLock, this.#flock.address) === 0) return 0;
      if (errno() !== EINTR) return -errno();
    }
  }

  heldBy(fd: number, kind: RangeLock, start: number, length: number): HeldLock | undefined | number {
    this.#fillFlock(kind, start, length);
    const { fcntl, layout, errno } = this.#libc;
    while (fcntl(fd, layout.getLock, this.#flock.address) !== 0) if (errno() !== EINTR) return -errno();
    const { view } = this.#flock;
    const type = view.getInt16(layout.flock.type, true);
    if (type === layout.lockTypes.unlock) return undefined;
    const pid = view.getInt32(layout.flock.pid, true);
    return {
      kind: type === layout.lockTypes.write ? 'write' : 'read',
      // -1 is an open file description lock; 0 a process outside our pid namespace, or another machine.
      pid: pid > 0 ? pid : undefined,
      start: Number(view.getBigInt64(layout.flock.start, true)),
      length: Number(view.getBigInt64(layout.flock.length, true)),
    };
  }

  #fillFlock(kind: RangeLock, start: number, length: number): void {
    const { flock, lockTypes } = this.#libc.layout;
    const { view } = this.#flock;
    const type = kind === RANGE.READ ? lockTypes.read : kind === RANGE.WRITE ? lockTypes.write : lockTypes.unlock;
    view.setInt16(flock.type, type, true);
    view.setInt16(flock.whence, SEEK_SET, true);
    // SQLite's lock bytes end at 1 GiB + 512, so the high words are always 0.
    view.setInt32(flock.start, start, true);
    view.setInt32(flock.start + 4, 0, true);
    view.setInt32(flock.length, length, true);
    view.setInt32(flock.length + 4, 0, true);
    // Open file description locks demand a pid of 0.
    view.setInt32(flock.pid, 0, true);
  }
}
