// The Host for Node: fs for names and descriptors, the C library for locks, mappings and the hot reads and writes.

import { randomFillSync } from 'node:crypto';
import fs from 'node:fs';
import type { Platform } from '../../vfs/errno.ts';
import {
  type FileStatus,
  type HeldLock,
  type Host,
  type MappableMemory,
  type OpenMode,
  RANGE,
  type RangeLock,
} from '../../vfs/host.ts';
import type { Libc } from './libc.ts';

const PROT_READ = 1;
const PROT_WRITE = 2;
const MAP_SHARED = 1;
const MAP_PRIVATE = 2;
const MAP_FIXED = 0x10;
const SEEK_SET = 0;
const F_OK = 0;
/** struct stat is 144 bytes on x86-64 and 128 on arm64. */
const STAT_BYTES = 256;
const EINTR = 4;
const EIO = 5;
const EFAULT = 14;

/** -errno of what an fs call threw; EIO if it was no system error, so that no failure is taken for success. */
function failureOf(error: unknown): number {
  const errno = (error as { errno?: unknown }).errno;
  return typeof errno === 'number' && errno !== 0 ? -Math.abs(errno) : -EIO;
}

function attempt(call: () => number | void): number {
  try {
    return call() ?? 0;
  } catch (error) {
    return failureOf(error);
  }
}

export class NodeHost implements Host {
  readonly name: string = 'node';
  readonly platform: Platform;
  readonly pageSize: number;
  readonly effectiveUser: number;
  readonly stopsOnlyInJavaScript: boolean = false;
  readonly canMap = true;
  readonly text = {
    // Buffer's own decoder; several times faster than TextDecoder on texts of a few dozen bytes.
    decode: (bytes: Uint8Array, start: number, end: number) => this.#bufferOver(bytes).utf8Slice(start, end),
  };
  readonly #libc: Libc;
  readonly #flock: { address: number; view: DataView };
  readonly #stat: { address: number; view: DataView };
  readonly #addresses = new WeakMap<Uint8Array, number>();
  readonly #pinned: MappableMemory[] = [];
  /** Where files were first mapped into a memory: its buffer then, and its address, which must stay. */
  readonly #mapped = new WeakMap<MappableMemory, { buffer: ArrayBufferLike; address: number }>();
  #lastBytes: Uint8Array | undefined;
  #lastAddress = 0;
  #lastBuffer: SlicingBuffer | undefined;
  readonly #never = new Int32Array(new SharedArrayBuffer(4));

  constructor(libc: Libc, platform: Platform) {
    this.#libc = libc;
    this.platform = platform;
    this.pageSize = libc.optional('int getpagesize()')?.() ?? 4096;
    this.effectiveUser = process.geteuid?.() ?? -1;
    this.#flock = libc.allocate(libc.layout.flock.size);
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
    const address = into === this.#lastBytes ? this.#lastAddress : this.#addressOf(into);
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
    const address = from === this.#lastBytes ? this.#lastAddress : this.#addressOf(from);
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

  status(path: string): FileStatus | number {
    return statusFrom(() => fs.statSync(path, { bigint: true }));
  }

  statusOf(fd: number): FileStatus | number {
    return statusFrom(() => fs.fstatSync(fd, { bigint: true }));
  }

  linkStatus(path: string): FileStatus | number {
    return statusFrom(() => fs.lstatSync(path, { bigint: true }));
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

  makeDirectory(path: string, mode: number): number {
    return attempt(() => void fs.mkdirSync(path, mode));
  }

  removeDirectory(path: string): number {
    return attempt(() => fs.rmdirSync(path));
  }

  readLink(path: string): string | number {
    try {
      return fs.readlinkSync(path);
    } catch (error) {
      return failureOf(error);
    }
  }

  realPath(path: string): string | number {
    try {
      return fs.realpathSync.native(path);
    } catch (error) {
      return failureOf(error);
    }
  }

  changeMode(fd: number, mode: number): number {
    return attempt(() => fs.fchmodSync(fd, mode));
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

  readText(path: string): string | undefined {
    try {
      return fs.readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
  }

  // --- locks

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

  // --- shared memory

  pin(memory: MappableMemory): void {
    this.#pinned.push(memory);
  }

  map(fd: number, offset: number, length: number, memory: MappableMemory, at: number, writable: boolean): number {
    const moved = this.checkMemory(memory);
    if (moved < 0) return moved;
    const base = this.#addressOf(memory.u8);
    if (base === 0) return -EFAULT;
    if (!this.#mapped.has(memory)) this.#mapped.set(memory, { buffer: memory.u8.buffer, address: base });
    const protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
    const got = this.#libc.mmap(base + at, length, protection, MAP_SHARED | MAP_FIXED, fd, offset);
    return got === -1 ? -this.#libc.errno() : 0;
  }

  unmap(memory: MappableMemory, at: number, length: number): number {
    const moved = this.checkMemory(memory);
    if (moved < 0) return moved;
    const flags = MAP_PRIVATE | MAP_FIXED | this.#libc.layout.mapAnonymous;
    const base = this.#addressOf(memory.u8);
    const got = this.#libc.mmap(base + at, length, PROT_READ | PROT_WRITE, flags, -1, 0);
    return got === -1 ? -this.#libc.errno() : 0;
  }

  probeMap(fd: number): number {
    const got = this.#libc.mmap(0, this.pageSize, PROT_READ, MAP_SHARED, fd, 0);
    if (got === -1) return -this.#libc.errno();
    this.#libc.munmap(got, this.pageSize);
    return 0;
  }

  checkMemory(memory: MappableMemory): number {
    const mapped = this.#mapped.get(memory);
    if (mapped === undefined || mapped.buffer === memory.u8.buffer) return 0;
    if (this.#addressOf(memory.u8) !== mapped.address) return -EFAULT;
    mapped.buffer = memory.u8.buffer;
    return 0;
  }

  /** The address of pinned bytes, 0 for all others: those may move whenever the garbage collector runs. */
  #addressOf(bytes: Uint8Array): number {
    let address = this.#addresses.get(bytes);
    if (address === undefined) {
      if (!this.#pinned.some((memory) => memory.u8 === bytes)) return 0;
      address = this.#libc.addressOf(bytes);
      this.#addresses.set(bytes, address);
    }
    this.#lastBytes = bytes;
    this.#lastAddress = address;
    return address;
  }

  // --- text

  #bufferOver(bytes: Uint8Array): SlicingBuffer {
    if (this.#lastBuffer?.buffer !== bytes.buffer)
      this.#lastBuffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) as SlicingBuffer;
    return this.#lastBuffer as SlicingBuffer;
  }

  // --- process

  workingDirectory(): string {
    return process.cwd();
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

function statusFrom(call: () => fs.BigIntStats): FileStatus | number {
  try {
    const status = call();
    return {
      dev: String(status.dev),
      ino: String(status.ino),
      size: Number(status.size),
      mode: Number(status.mode) & 0o7777,
      uid: Number(status.uid),
      gid: Number(status.gid),
      links: Number(status.nlink),
      type: status.isFile() ? 'file' : status.isDirectory() ? 'directory' : status.isSymbolicLink() ? 'symlink' : 'other',
    };
  } catch (error) {
    return failureOf(error);
  }
}
