// What a file layer must be for SQLite to run on it. A small core; what not every file system has is optional.
//
// Every method answers an SQLite result code. None may throw: above it is C, which cannot be unwound through.

import type { LockLevel } from './codes.ts';
import type { Fault, LockConflict } from './fault.ts';
import type { MappableMemory } from './host.ts';

/** A result together with a value that only counts when `code` is 0. */
export interface Answer<T> {
  code: number;
  value: T;
}

export interface VfsFile {
  close(): number;
  /** Fills the rest with zeros and answers IOERR_SHORT_READ where the file ends early. */
  read(into: Uint8Array, at: number, length: number, offset: number): number;
  write(from: Uint8Array, at: number, length: number, offset: number): number;
  truncate(size: number): number;
  sync(): number;
  /** The size in bytes, or a negative result code. */
  size(): number;
  readonly sectorSize: number;
  readonly characteristics: number;

  /** Present on files that are locked: the main database file. */
  readonly locks?: LockLadder;
  /** Present where WAL can run: the main database file on a file system with shared mappings. */
  readonly walIndex?: WalIndex;
  /** Extras of a main database file. */
  readonly controls?: DatabaseControls;
}

/** The five lock levels of a database file. */
export interface LockLadder {
  readonly level: LockLevel;
  lock(level: LockLevel): number;
  unlock(level: LockLevel): number;
  /** 1 if some connection holds RESERVED or more, 0 if none, a negative result code if the question failed. */
  reserved(): number;
}

/** The shared-memory side of one connection to a WAL database (https://sqlite.org/walformat.html#the_wal_index_file_format). */
export interface WalIndex {
  /** The address of region `index` in the engine's memory; 0 where it does not exist and `extend` is false. */
  map(index: number, size: number, extend: boolean, memory: MappableMemory): Answer<number>;
  lock(offset: number, count: number, flags: number): number;
  barrier(): void;
  unmap(remove: boolean): number;
}

/** File controls that carry a setting or an answer of their own. */
export interface DatabaseControls {
  persistWal: boolean;
  powersafeOverwrite: boolean;
  /** Bytes by which the file grows at a time; 0 is no rule. */
  chunkSize: number;
  sizeHint(size: number): number;
  /** True when the path no longer leads to the file that we have open. */
  hasMoved(): boolean;
  readonly lastErrno: number;
}

export interface OpenedFile {
  file: VfsFile;
  /** The flags as they came out: READWRITE can have become READONLY. */
  flags: number;
}

export interface Vfs {
  readonly name: string;
  readonly maxPathname: number;
  /** `name` is undefined for a temporary file, else a path that came from `fullPathname`. */
  open(name: string | undefined, flags: number): Answer<OpenedFile | undefined>;
  delete(name: string, syncDirectory: boolean): number;
  /** 1 yes, 0 no, or a negative result code. */
  access(name: string, kind: number): number;
  fullPathname(name: string): Answer<string>;
  random(bytes: Uint8Array): void;
  sleep(microseconds: number): void;
  /** Milliseconds since 1970. */
  now(): number;

  /** Something threw inside a method, which can only be a defect of ours or of the host; kept for the error message. */
  noteException(error: unknown, code: number): void;
  /** The last system call that failed, for the error message. */
  readonly lastFault: Fault | undefined;
  /** The last lock that somebody else kept from us. */
  readonly lastConflict: LockConflict | undefined;
}
