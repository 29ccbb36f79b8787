// Files mapped into WebAssembly memory with mmap(2), and the addresses of memory that does not move.

import type { MappableMemory } from '../../vfs/host.ts';
import type { Libc } from './libc.ts';

const PROT_READ = 1;
const PROT_WRITE = 2;
const MAP_SHARED = 1;
const MAP_PRIVATE = 2;
const MAP_FIXED = 0x10;
const EFAULT = 14;

export class SharedMemory {
  readonly #libc: Libc;
  readonly #pageSize: number;
  readonly #addresses = new WeakMap<Uint8Array, number>();
  readonly #pinned: MappableMemory[] = [];
  /** Where files were first mapped into a memory: its buffer then, and its address, which must stay. */
  readonly #mapped = new WeakMap<MappableMemory, { buffer: ArrayBufferLike; address: number }>();
  #lastBytes: Uint8Array | undefined;
  #lastAddress = 0;

  constructor(libc: Libc, pageSize: number) {
    this.#libc = libc;
    this.#pageSize = pageSize;
  }

  pin(memory: MappableMemory): void {
    this.#pinned.push(memory);
  }

  map(fd: number, offset: number, length: number, memory: MappableMemory, at: number, writable: boolean): number {
    const moved = this.checkMemory(memory);
    if (moved < 0) return moved;
    const base = this.addressOf(memory.u8);
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
    const base = this.addressOf(memory.u8);
    const got = this.#libc.mmap(base + at, length, PROT_READ | PROT_WRITE, flags, -1, 0);
    return got === -1 ? -this.#libc.errno() : 0;
  }

  probeMap(fd: number): number {
    const got = this.#libc.mmap(0, this.#pageSize, PROT_READ, MAP_SHARED, fd, 0);
    if (got === -1) return -this.#libc.errno();
    this.#libc.munmap(got, this.#pageSize);
    return 0;
  }

  checkMemory(memory: MappableMemory): number {
    const mapped = this.#mapped.get(memory);
    if (mapped === undefined || mapped.buffer === memory.u8.buffer) return 0;
    if (this.addressOf(memory.u8) !== mapped.address) return -EFAULT;
    mapped.buffer = memory.u8.buffer;
    return 0;
  }

  /** The address of pinned bytes, 0 for all others: those may move whenever the garbage collector runs. */
  addressOf(bytes: Uint8Array): number {
    if (bytes === this.#lastBytes) return this.#lastAddress;
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
}
