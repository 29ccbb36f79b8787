// The Host for Node: fs for names and descriptors, the C library for locks, mappings and the hot reads and writes.

import { randomFillSync } from 'node:crypto';
import fs from 'node:fs';
import type { Platform } from '../../vfs/errno.ts';
import type { FileStatus, HeldLock, Host, MappableMemory, OpenMode, RangeLock } from '../../vfs/host.ts';
import { attempt, failureOf } from './attempt.ts';
import { firstTime } from './first-time.ts';
import type { Libc } from './libc.ts';
import { LookingHost, statusFrom } from './looking-host.ts';
import { RangeLocks } from './range-locks.ts';
import { SharedMemory } from './shared-memory.ts';

const F_OK = 0;
/** struct stat is 144 bytes on x86-64 and 128 on arm64. */
const STAT_BYTES = 256;
const EINTR = 4;

export class NodeHost extends LookingHost implements Host {
  readonly name: string = 'node';
  readonly pageSize: number;
  readonly effectiveUser: number;
  readonly stopsOnlyInJavaScript: boolean = false;
  readonly canMap = true;
  readonly text = {
    // Buffer's own decoder; several times faster than TextDecoder on texts of a few dozen bytes.
    decode: (bytes: Uint8Array, start: number, end: number) => this.#bufferOver(bytes).utf8Slice(start, end),
  };
  readonly #libc: Libc;
  readonly #locks: RangeLocks;
  readonly #memory: SharedMemory;
  readonly #stat: { address: number; view: DataView };
  #lastBuffer: SlicingBuffer | undefined;
  readonly #never = new Int32Array(new SharedArrayBuffer(4));

  constructor(libc: Libc, platform: Platform) {
    super(platform);
    this.#libc = libc;
    this.pageSize = libc.optional('int getpagesize()')?.() ?? 4096;
    this.effectiveUser = process.geteuid?.() ?? -1;
    this.#locks = new RangeLocks(libc);
    this.#memory = new SharedMemory(libc, this.pageSize);
    this.#stat = libc.allocate(STAT_BYTES);
  }

  // --- descriptors

  open(path: string, mode: OpenMode): number {
    const { O_RDWR, O_RDONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
    const flags =
      (mode.write ? O_RDWR : O_RDONLY) |
      (mode.create ? O_CREAT : 0) |
      (mode.exclusive ? O_EXCL : 0) |
      (mode.noFollow ? O_NOFOLLOW : 0);
    // fs and not libc: Node closes what a worker opened through it when the worker is terminated.
    return attempt(() => fs.openSync(path, flags, mode.mode));
  }

  close(fd: number): number {
    return attempt(() => fs.closeSync(fd));
  }

  read(fd: number, into: Uint8Array, at: number, length: number, position: number): number {
    const address = this.#memory.addressOf(into);
    if (address === 0) return attempt(() => fs.readSync(fd, into, at, length, position));
    let done = 0;
    while (done < length) {
      const got = this.#libc.pread(fd, address + at + done, length - done, position + done);
      if (got > 0) done += got;
      else if (got === 0) break;
      else if (this.#libc.errno() !== EINTR) return -this.#libc.errno();
    }
    return done;
  }

  write(fd: number, from: Uint8Array, at: number, length: number, position: number): number {
    const address = this.#memory.addressOf(from);
    let done = 0;
    while (done < length) {
      let put: number;
      if (address === 0) {
        put = attempt(() => fs.writeSync(fd, from, at + done, length - done, position + done));
        if (put < 0 && put !== -EINTR) return put;
      } else {
        put = this.#libc.pwrite(fd, address + at + done, length - done, position + done);
        if (put < 0 && this.#libc.errno() !== EINTR) return -this.#libc.errno();
      }
      if (put > 0) done += put;
    }
    return done;
  }

  truncate(fd: number, size: number): number {
    return attempt(() => fs.ftruncateSync(fd, size));
  }

  sync(fd: number): number {
    return attempt(() => fs.fdatasyncSync(fd));
  }

  size(fd: number): number {
    const { fstat, layout } = this.#libc;
    if (fstat === undefined || layout.statSize === undefined) return attempt(() => fs.fstatSync(fd).size);
    if (fstat(fd, this.#stat.address) !== 0) return -this.#libc.errno();
    const { view } = this.#stat;
    return view.getUint32(layout.statSize, true) + view.getInt32(layout.statSize + 4, true) * 4294967296;
  }

  statusOf(fd: number): FileStatus | number {
    return statusFrom(() => fs.fstatSync(fd, { bigint: true }));
  }

  sizeAt(path: string): number {
    // Nearly always the answer is that there is no journal, and access(2) says so in half the time of fs.statSync.
    if (this.#libc.text.access(path, F_OK) !== 0) return -this.#libc.errno();
    return attempt(() => {
      const status = fs.statSync(path);
      return status.isFile() ? status.size : Math.max(1, status.size);
    });
  }

  access(path: string, need: 'read' | 'write'): number {
    const { R_OK, W_OK } = fs.constants;
    return attempt(() => fs.accessSync(path, need === 'write' ? R_OK | W_OK : R_OK));
  }

  // --- names

  unlink(path: string): number {
    return attempt(() => fs.unlinkSync(path));
  }

  rename(from: string, to: string): number {
    return attempt(() => fs.renameSync(from, to));
  }

  makeDirectory(path: string, mode: number): number {
    return attempt(() => void fs.mkdirSync(path, mode));
  }

  removeDirectory(path: string): number {
    return attempt(() => fs.rmdirSync(path));
  }

  changeMode(fd: number, mode: number): number {
    return attempt(() => fs.fchmodSync(fd, mode));
  }

  changeModeAt(path: string, mode: number): number {
    return attempt(() => fs.chmodSync(path, mode));
  }

  changeOwner(fd: number, uid: number, gid: number): number {
    return attempt(() => fs.fchownSync(fd, uid, gid));
  }

  touch(path: string): number {
    const now = new Date();
    return attempt(() => fs.utimesSync(path, now, now));
  }

  syncDirectory(path: string): number {
    let fd: number;
    try {
      fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
    } catch {
      // A directory that we may write to but not read cannot be synced by anybody but its owner; native SQLite goes on too.
      return 0;
    }
    try {
      fs.fsyncSync(fd);
      return 0;
    } catch (error) {
      // Some network file systems cannot sync a directory and say EINVAL.
      return (error as { code?: string }).code === 'EINVAL' ? 0 : failureOf(error);
    } finally {
      fs.closeSync(fd);
    }
  }

  // --- locks

  lock(fd: number, kind: RangeLock, start: number, length: number): number {
    return this.#locks.lock(fd, kind, start, length);
  }

  heldBy(fd: number, kind: RangeLock, start: number, length: number): HeldLock | undefined | number {
    return this.#locks.heldBy(fd, kind, start, length);
  }

  // --- shared memory

  pin(memory: MappableMemory): void {
    this.#memory.pin(memory);
  }

  map(fd: number, offset: number, length: number, memory: MappableMemory, at: number, writable: boolean): number {
    return this.#memory.map(fd, offset, length, memory, at, writable);
  }

  unmap(memory: MappableMemory, at: number, length: number): number {
    return this.#memory.unmap(memory, at, length);
  }

  probeMap(fd: number): number {
    return this.#memory.probeMap(fd);
  }

  checkMemory(memory: MappableMemory): number {
    return this.#memory.checkMemory(memory);
  }

  // --- text

  #bufferOver(bytes: Uint8Array): SlicingBuffer {
    if (this.#lastBuffer?.buffer !== bytes.buffer)
      this.#lastBuffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) as SlicingBuffer;
    return this.#lastBuffer as SlicingBuffer;
  }

  // --- process

  readonly processId = process.pid;

  firstTime(key: string): boolean {
    return firstTime(key);
  }

  warn(line: string): void {
    // A file name must not command the terminal.
    process.stderr.write(`${line.replace(/[\x00-\x1f\x7f-\x9f]/g, '?')}\n`);
  }

  temporaryDirectories(): string[] {
    const { SQLITE_TMPDIR, TMPDIR } = process.env;
    // The order of native SQLite: https://sqlite.org/tempfiles.html#temporary_file_storage_locations
    return [SQLITE_TMPDIR, TMPDIR, '/var/tmp', '/usr/tmp', '/tmp', '.'].filter((path): path is string => Boolean(path));
  }

  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  sleep(milliseconds: number, wake: Int32Array = this.#never): void {
    Atomics.wait(wake, 0, 0, milliseconds);
  }

  random(bytes: Uint8Array): void {
    randomFillSync(bytes);
  }

  atExit(action: () => void): () => void {
    if (exitActions.size === 0) process.on('exit', runExitActions);
    exitActions.add(action);
    return () => {
      exitActions.delete(action);
      if (exitActions.size === 0) process.off('exit', runExitActions);
    };
  }
}

type SlicingBuffer = Buffer & { utf8Slice(start: number, end: number): string };

/** One listener for all: Node warns of a leak when an emitter has more than ten. */
const exitActions = new Set<() => void>();

function runExitActions(): void {
  for (const action of [...exitActions]) action();
}
