// The system calls we need, as one interface: all that a runtime (or a simulator) must give for Holdfast to run on it.
//
// A call that can fail answers a number: 0 or more is success, a negative number is -errno, as the kernel itself does.
// Nothing here throws for what a file system did; an exception is a programming error.

import type { Platform } from './errno.ts';

/** How a file is opened. Descriptors are always close-on-exec. */
export interface OpenMode {
  write: boolean;
  create: boolean;
  exclusive: boolean;
  /** Fail with ELOOP where the last part of the path is a symbolic link. */
  noFollow: boolean;
  /** Permission bits of a file that gets created, before the umask. */
  mode: number;
}

/** What we ask about a file: identity, size, owner. `ino` and `dev` are text, since inode numbers pass 2^53. */
export interface FileStatus {
  dev: string;
  ino: string;
  size: number;
  /** The permission bits only. */
  mode: number;
  uid: number;
  gid: number;
  links: number;
  /** Milliseconds since 1970 of its last change; of a directory, when a name in it was made or removed. */
  modifiedAt: number;
  type: 'file' | 'directory' | 'symlink' | 'other';
}

/** What statfs(2) says of the file system that holds a path. */
export interface FileSystemStatus {
  /** The type's magic number. A network or 9p mount may show the one of the server's file system. */
  type: number;
  /** Bytes that this user may still write. */
  freeBytes: number;
  totalBytes: number;
}

/** Kinds of a byte-range lock. */
export const RANGE = { READ: 0, WRITE: 1, UNLOCK: 2 } as const;
export type RangeLock = (typeof RANGE)[keyof typeof RANGE];

/** A lock that stands in our way. `pid` is undefined for an open file description lock, which carries none. */
export interface HeldLock {
  kind: 'read' | 'write';
  pid: number | undefined;
  start: number;
  /** 0 means to the end of the file. */
  length: number;
}

/** Memory into which files can be mapped: in production the memory of one WebAssembly instance. */
export interface MappableMemory {
  /** The bytes as they are now; a new array after the memory grew. */
  readonly u8: Uint8Array;
  /** A block aligned to `alignment` bytes, or 0. */
  allocate(alignment: number, size: number): number;
  release(pointer: number): void;
}

export interface Host {
  readonly name: string;
  readonly platform: Platform;
  /** Bytes of one page of memory. */
  readonly pageSize: number;
  /** The effective user, 0 for root, -1 where there is none. */
  readonly effectiveUser: number;
  /** This thread can be terminated only while it runs JavaScript, so that a long statement must come up for air. */
  readonly stopsOnlyInJavaScript: boolean;

  open(path: string, mode: OpenMode): number;
  close(fd: number): number;
  /** Reads at `position`; the answer is the number of bytes, less than asked only at the end of the file. */
  read(fd: number, into: Uint8Array, at: number, length: number, position: number): number;
  /** Writes all bytes or answers -errno. */
  write(fd: number, from: Uint8Array, at: number, length: number, position: number): number;
  truncate(fd: number, size: number): number;
  /** Data and the metadata needed to read it back are on the device when this answers 0. */
  sync(fd: number): number;
  size(fd: number): number;
  status(path: string): FileStatus | number;
  statusOf(fd: number): FileStatus | number;
  /** The size of what is at the path, or -errno: the cheap question of every transaction in rollback mode. */
  sizeAt(path: string): number;
  access(path: string, need: 'read' | 'write'): number;

  /** The names in a directory, without `.` and `..`, in no order. */
  list(path: string): string[] | number;
  fileSystem(path: string): FileSystemStatus | number;
  unlink(path: string): number;
  rename(from: string, to: string): number;
  makeDirectory(path: string, mode: number): number;
  removeDirectory(path: string): number;
  readLink(path: string): string | number;
  realPath(path: string): string | number;
  changeMode(fd: number, mode: number): number;
  /** By path, without opening the file; follows symbolic links. */
  changeModeAt(path: string, mode: number): number;
  changeOwner(fd: number, uid: number, gid: number): number;
  /** Sets access and change time of what is at the path to now. */
  touch(path: string): number;
  /** Makes names created or removed in this directory durable. */
  syncDirectory(path: string): number;
  /** A small text file, such as those below /proc. */
  readText(path: string): string | undefined;

  /** Takes or drops an open file description lock, without waiting. Length 0 is to the end of the file. */
  lock(fd: number, kind: RangeLock, start: number, length: number): number;
  /** Who would refuse us this lock; undefined when nobody would. */
  heldBy(fd: number, kind: RangeLock, start: number, length: number): HeldLock | undefined | number;

  /**
   * Tells the host that the bytes of this memory keep their address while its `u8` is the same array, so that system
   * calls can be handed addresses in it.
   */
  pin(memory: MappableMemory): void;
  /** Whether `map` can work on this system at all. */
  readonly canMap: boolean;
  /** Maps a piece of a file, shared, over the page-aligned block at `at`; writes go to the file. */
  map(fd: number, offset: number, length: number, memory: MappableMemory, at: number, writable: boolean): number;
  /** Puts anonymous memory back. To be called before the block is released. */
  unmap(memory: MappableMemory, at: number, length: number): number;
  /** 0 if a shared mapping of this descriptor can be made (one is made and dropped; not a byte is touched). */
  probeMap(fd: number): number;
  /** Fails (-errno) if the memory has moved since files were mapped into it. Cheap while it has not grown. */
  checkMemory(memory: MappableMemory): number;

  readonly processId: number;
  /**
   * True for the first to ask for this key in this process, its worker threads included (those begun after Holdfast was
   * loaded); false ever after.
   */
  firstTime(key: string): boolean;
  /** Says a line to whoever watches this process: on standard error. */
  warn(line: string): void;
  workingDirectory(): string;
  /** Directories for temporary files, best first. */
  temporaryDirectories(): string[];
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds, never going back. */
  monotonic(): number;
  /** Blocks this thread. `wake` ends the sleep early when its first element stops being 0. */
  sleep(milliseconds: number, wake?: Int32Array): void;
  random(bytes: Uint8Array): void;
  /** Runs at the end of this process or thread, however it ends in an orderly way. Answers how to call it off. */
  atExit(action: () => void): () => void;

  /** Decoder and encoder of text, where the runtime has faster ones than TextDecoder and TextEncoder. */
  readonly text?: TextCodec;
}

/** UTF-8 in a piece of memory, to and from strings. */
export interface TextCodec {
  decode(bytes: Uint8Array, start: number, end: number): string;
}
