// Sides of a probe in one process: real files and locks, a clock that jumps, and boundaries as bad as a test wants them.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { NodeHost } from '../../../adapters/node/host.ts';
import { loadLibc } from '../../../adapters/node/libc.ts';
import type { HeldLock, MappableMemory, OpenMode, RangeLock } from '../../../vfs/host.ts';
import type { Classification } from '../../../vfs/mount/classification.ts';
import { MAPPED_BYTES } from '../../../vfs/probe/mapped.ts';
import { type Found, probe } from '../../../vfs/probe/probe.ts';
import { ScratchMemory } from '../../../vfs/probe/scratch-memory.ts';
import type { Steps } from '../../../vfs/probe/steps.ts';

/** Milliseconds that never pass by themselves. */
export class Clock {
  now = 0;
}

/** What is wrong with the view that one side has of the folder. */
export interface Faults {
  /** Its locks lie elsewhere: nobody on the other side meets them. */
  ownLocks?: boolean;
  /** Every lock call fails with this errno. */
  lockErrno?: number;
  /** Locks exclude, and nobody is told who holds them. */
  silentHolders?: boolean;
  mapErrno?: number;
  /** It maps a copy of its own. */
  ownMemory?: boolean;
  /** What was read through a descriptor once is read for so many milliseconds. */
  staleMs?: number;
  /** Exclusive creation of a file that exists succeeds. */
  laxCreate?: boolean;
  /** Making any name fails with this errno. */
  makeErrno?: number;
  bootId?: string;
}

/** Far beyond the bytes that SQLite locks. */
const ELSEWHERE = 1 << 20;

export class SideHost extends NodeHost {
  readonly clock: Clock;
  readonly faults: Faults;
  readonly #cached = new Map<string, { bytes: Uint8Array; until: number }>();
  /** Descriptors of copies that were mapped. */
  readonly #copies: number[] = [];

  constructor(clock: Clock, faults: Faults = {}) {
    super(loadLibc('linux'), 'linux');
    this.clock = clock;
    this.faults = faults;
  }

  override monotonic(): number {
    return this.clock.now;
  }

  override readText(file: string): string | undefined {
    return file.endsWith('boot_id') && this.faults.bootId !== undefined ? this.faults.bootId : super.readText(file);
  }

  override makeDirectory(folder: string, mode: number): number {
    return this.faults.makeErrno === undefined ? super.makeDirectory(folder, mode) : -this.faults.makeErrno;
  }

  override open(file: string, mode: OpenMode): number {
    return super.open(file, this.faults.laxCreate ? { ...mode, exclusive: false } : mode);
  }

  override close(fd: number): number {
    for (const key of this.#cached.keys()) if (key.startsWith(`${fd}:`)) this.#cached.delete(key);
    return super.close(fd);
  }

  override read(fd: number, into: Uint8Array, at: number, length: number, position: number): number {
    const key = `${fd}:${position}`;
    const known = this.#cached.get(key);
    if (known && known.until > this.clock.now && known.bytes.length === length) {
      into.set(known.bytes, at);
      return length;
    }
    const got = super.read(fd, into, at, length, position);
    if (this.faults.staleMs !== undefined && got === length)
      this.#cached.set(key, { bytes: into.slice(at, at + length), until: this.clock.now + this.faults.staleMs });
    return got;
  }

  override lock(fd: number, kind: RangeLock, start: number, length: number): number {
    if (this.faults.lockErrno !== undefined) return -this.faults.lockErrno;
    return super.lock(fd, kind, this.faults.ownLocks ? start + ELSEWHERE : start, length);
  }

  override heldBy(fd: number, kind: RangeLock, start: number, length: number): HeldLock | undefined | number {
    if (this.faults.lockErrno !== undefined) return -this.faults.lockErrno;
    if (this.faults.silentHolders) return undefined;
    return super.heldBy(fd, kind, this.faults.ownLocks ? start + ELSEWHERE : start, length);
  }

  override probeMap(fd: number): number {
    return this.faults.mapErrno === undefined ? super.probeMap(fd) : -this.faults.mapErrno;
  }

  override map(fd: number, offset: number, length: number, memory: MappableMemory, at: number, writable: boolean): number {
    if (this.faults.mapErrno !== undefined) return -this.faults.mapErrno;
    if (!this.faults.ownMemory) return super.map(fd, offset, length, memory, at, writable);
    const name = path.join(os.tmpdir(), `holdfast-test-${crypto.randomUUID()}`);
    const copy = fs.openSync(name, 'wx+');
    fs.unlinkSync(name);
    fs.ftruncateSync(copy, length);
    this.#copies.push(copy);
    return super.map(copy, offset, length, memory, at, writable);
  }

  closeCopies(): void {
    for (const fd of this.#copies.splice(0)) fs.closeSync(fd);
  }
}

export function groundOf(folder: string, more: Partial<Classification> = {}): Classification {
  return {
    path: folder,
    resolved: folder,
    mountPoint: '/',
    fsType: 'ext4',
    source: '/dev/x',
    options: 'rw',
    class: 'native',
    walSafe: true,
    fileIsMountPoint: false,
    reason: 'a test says so',
    remedy: undefined,
    ...more,
  };
}

export class Side {
  readonly host: SideHost;
  found: Found | undefined;
  /** Steps that it has taken. */
  taken = 0;
  wakesAt: number;
  #steps: Steps<Found>;
  #dead = false;

  constructor(
    clock: Clock,
    folder: string,
    options: { faults?: Faults; timeout?: number; startsAt?: number; meeting?: string; first?: boolean } = {},
  ) {
    this.host = new SideHost(clock, options.faults);
    this.wakesAt = options.startsAt ?? 0;
    const memory = new ScratchMemory(MAPPED_BYTES);
    this.host.pin(memory);
    this.#steps = probe({
      host: this.host,
      memory,
      mount: groundOf(folder),
      timeout: options.timeout ?? 60_000,
      first: options.first ?? true,
      ...(options.meeting === undefined ? {} : { meeting: options.meeting }),
    });
  }

  get over(): boolean {
    return this.#dead || this.found !== undefined;
  }

  step(): void {
    this.taken++;
    this.#take(this.#steps.next());
  }

  /** As a signal that is caught does it: from here it only cleans up. */
  interrupt(): void {
    this.#take(this.#steps.return(INTERRUPTED));
  }

  /** As SIGKILL does it. */
  kill(): void {
    this.#dead = true;
    // The kernel would close its descriptors; a later test does not see them.
  }

  #take({ done, value }: IteratorResult<number, Found>): void {
    if (!done) {
      this.wakesAt = this.host.clock.now + value;
      return;
    }
    this.found = value as Found;
    this.host.closeCopies();
  }
}

export const INTERRUPTED: Found = { visitors: 0, leftoversRemoved: 0, leftoversKept: [] };

/** Far more than any probe needs. */
const TOO_MANY = 200_000;

/** Runs all sides to their end, each when its time has come. `between` is called before every step. */
export function run(clock: Clock, sides: readonly Side[], between: () => void = () => {}): void {
  for (let count = 0; ; count++) {
    if (count > TOO_MANY) throw new Error('The sides do not come to an end');
    between();
    const living = sides.filter((side) => !side.over);
    const next = living.sort((one, other) => one.wakesAt - other.wakesAt)[0];
    if (!next) return;
    // A step takes a moment, else two sides that rest for nothing would stop the clock.
    clock.now = Math.max(clock.now, next.wakesAt) + 0.01;
    next.step();
  }
}
