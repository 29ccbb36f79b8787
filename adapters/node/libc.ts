// The functions of the C library that Node has no call for, through koffi: fcntl and mmap, and pread, pwrite, fstat and access, which
// cost half of what fs.readSync and its kin do because they take a bare address.

import { createRequire } from 'node:module';
import type { Platform } from '../../vfs/errno.ts';

type Address = number;
type Native = (...args: number[]) => number;

/** Where the fields of C's structs lie, and what the system calls its constants. */
export interface Layout {
  /** struct flock, in 16-bit (type, whence), 32-bit (pid) and 64-bit (start, length) words; offsets in bytes. */
  flock: { type: number; whence: number; start: number; length: number; pid: number; size: number };
  lockTypes: { read: number; write: number; unlock: number };
  setLock: number;
  getLock: number;
  mapAnonymous: number;
  /** Byte offset of st_size in struct stat, undefined where we have not checked it. */
  statSize: number | undefined;
  variadicFcntl: boolean;
}

/** fcntl.h and mman.h of Linux, the same for x86-64 and arm64 in all that we use. */
const LINUX: Layout = {
  flock: { type: 0, whence: 2, start: 8, length: 16, pid: 24, size: 32 },
  lockTypes: { read: 0, write: 1, unlock: 2 },
  setLock: 37,
  getLock: 36,
  mapAnonymous: 0x20,
  statSize: 48,
  variadicFcntl: false,
};

/** XNU's fcntl.h. Written from the headers and never run: macOS is untested. */
const DARWIN: Layout = {
  flock: { type: 20, whence: 22, start: 0, length: 8, pid: 16, size: 24 },
  lockTypes: { read: 1, write: 3, unlock: 2 },
  setLock: 90,
  getLock: 92,
  mapAnonymous: 0x1000,
  statSize: undefined,
  variadicFcntl: true,
};

export interface Libc {
  readonly layout: Layout;
  readonly errno: () => number;
  readonly fcntl: (fd: number, command: number, argument: Address) => number;
  readonly mmap: Native;
  readonly munmap: Native;
  readonly pread: Native;
  readonly pwrite: Native;
  readonly fstat: Native | undefined;
  readonly addressOf: (bytes: Uint8Array) => Address;
  /** Memory outside the JavaScript heap, which never moves and is never freed. */
  readonly allocate: (bytes: number) => { address: Address; view: DataView };
  /** A function that only some systems have. */
  readonly optional: (prototype: string) => Native | undefined;
  /** Functions that take or give text. */
  readonly text: {
    access(path: string, mode: number): number;
    dlsym(handle: number, name: string): Address;
    getenv(name: string): string | null;
    setenv(name: string, value: string, overwrite: number): number;
  };
}

type Koffi = {
  load(path: string | null): { func(prototype: string): (...args: unknown[]) => unknown };
  errno(): number;
  alloc(type: string, count: number): unknown;
  address(value: unknown): bigint;
  view(value: unknown, length: number): ArrayBuffer;
};

/** Loads the C library of this process. Throws what koffi throws where it has no binary for this machine. */
export function loadLibc(platform: Platform): Libc {
  const koffi = createRequire(import.meta.url)('koffi') as Koffi;
  const library = koffi.load(null);
  const layout = platform === 'linux' ? LINUX : DARWIN;
  // Addresses go as integers: a plain number fits (user space ends at 2^47) and is not allocated, as a BigInt would be.
  const native = (prototype: string) => library.func(prototype) as Native;
  const optional = (prototype: string) => {
    try {
      return native(prototype);
    } catch {
      return undefined;
    }
  };
  const variadic = layout.variadicFcntl ? library.func('int fcntl(int fd, int command, ...)') : undefined;
  const fcntl = variadic
    ? (fd: number, command: number, argument: Address) => variadic(fd, command, 'intptr_t', argument) as number
    : native('int fcntl(int fd, int command, intptr_t argument)');
  const memmove = library.func('intptr_t memmove(void *to, void *from, size_t count)');
  return {
    layout,
    errno: () => koffi.errno(),
    fcntl,
    mmap: native('intptr_t mmap(intptr_t at, size_t length, int protection, int flags, int fd, int64_t offset)'),
    munmap: native('int munmap(intptr_t at, size_t length)'),
    pread: native('intptr_t pread(int fd, intptr_t into, size_t count, int64_t offset)'),
    pwrite: native('intptr_t pwrite(int fd, intptr_t from, size_t count, int64_t offset)'),
    // C libraries before glibc 2.33 have fstat only as an inline function.
    fstat: layout.statSize === undefined ? undefined : optional('int fstat(int fd, intptr_t out)'),
    // Moving no bytes from a block to itself answers its address.
    addressOf: (bytes) => Number(memmove(bytes, bytes, 0)),
    allocate: (bytes) => {
      const block = koffi.alloc('uint8_t', bytes);
      return { address: Number(koffi.address(block)), view: new DataView(koffi.view(block, bytes)) };
    },
    optional,
    text: {
      access: library.func('int access(const char *path, int mode)') as Libc['text']['access'],
      dlsym: library.func('intptr_t dlsym(intptr_t handle, const char *name)') as Libc['text']['dlsym'],
      getenv: library.func('const char *getenv(const char *name)') as Libc['text']['getenv'],
      setenv: library.func('int setenv(const char *name, const char *value, int overwrite)') as Libc['text']['setenv'],
    },
  };
}
