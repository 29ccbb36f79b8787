// A small memory to map a file into, so that no engine has to be started for it.

import type { MappableMemory } from '../host.ts';

const WASM_PAGE = 65536;

/** Holds one block. Its size is fixed from the start, because some runtimes move a memory that grows. */
export class ScratchMemory implements MappableMemory {
  readonly u8: Uint8Array;
  #given = false;

  constructor(bytes: number) {
    // The block begins one page in: 0 is no pointer, and a page of memory may be 64 KiB.
    const pages = 1 + Math.ceil(bytes / WASM_PAGE);
    this.u8 = new Uint8Array(new WebAssembly.Memory({ initial: pages, maximum: pages }).buffer);
  }

  allocate(alignment: number, size: number): number {
    if (this.#given || alignment > WASM_PAGE || size > this.u8.length - WASM_PAGE) return 0;
    this.#given = true;
    return WASM_PAGE;
  }

  release(): void {
    this.#given = false;
  }
}
