// The second engine: wa-sqlite's emscripten module behind the same interface. Races need it, since its asynchronous build can
// stop inside any VFS call; the conformance tests run on it too.
//
// It was built without BigInt, so a 64-bit integer crosses as two halves: arguments as low and high word, a result as its
// low word with the high one in a register that getTempRet0 reads.

import type { Vfs } from '../../vfs/vfs.ts';
import { makeCallable } from './callbacks.ts';
import type { Callback, Engine, EngineMemory, Pointer, SqliteFunctions } from './engine.ts';
import { withGrowableTable } from './growable-table.ts';
import { camelCase } from './sqlite-wasm.ts';
import { readCString } from './strings.ts';
import { VfsBridge } from './vfs-bridge.ts';

/** What we use of the object that wa-sqlite's module factory resolves to. */
export interface WaSqliteModule {
  HEAPU8: Uint8Array;
  // biome-ignore lint/complexity/noBannedTypes: emscripten takes any WebAssembly function
  addFunction(callable: Function, signature: string): Pointer;
  getTempRet0(): number;
  _malloc(size: number): Pointer;
  _free(pointer: Pointer): void;
  _sqlite3_initialize(): number;
}

type Words = (...args: number[]) => number;

/** wa-sqlite's module factory, the default export of its `dist/wa-sqlite.mjs`. */
export type WaSqliteFactory = (options: { wasmBinary: Uint8Array }) => Promise<WaSqliteModule>;

/** Starts an engine with wa-sqlite's own factory and the bytes that belong to it (synchronous build). */
export async function loadWaSqlite(factory: WaSqliteFactory, wasm: Uint8Array): Promise<Engine> {
  const module = await factory({ wasmBinary: withGrowableTable(wasm) });
  module._sqlite3_initialize();
  return new WaSqliteEngine(module);
}

class WaSqliteMemory implements EngineMemory {
  readonly #module: WaSqliteModule;
  /** Start of the malloc block behind each aligned block. */
  readonly #blocks = new Map<Pointer, Pointer>();

  constructor(module: WaSqliteModule) {
    this.#module = module;
  }

  get u8(): Uint8Array {
    return this.#module.HEAPU8;
  }

  get i32(): Int32Array {
    return new Int32Array(this.#module.HEAPU8.buffer);
  }

  get f64(): Float64Array {
    return new Float64Array(this.#module.HEAPU8.buffer);
  }

  allocate(alignment: number, size: number): Pointer {
    const block = this.#module._malloc(size + alignment);
    if (block === 0) return 0;
    const aligned = Math.ceil(block / alignment) * alignment;
    this.#blocks.set(aligned, block);
    return aligned;
  }

  release(pointer: Pointer): void {
    const block = this.#blocks.get(pointer);
    if (block !== undefined) this.#module._free(block);
    this.#blocks.delete(pointer);
  }
}

class WaSqliteEngine implements Engine {
  readonly name = 'wa-sqlite';
  readonly memory: EngineMemory;
  readonly c: SqliteFunctions;
  readonly #module: WaSqliteModule;

  constructor(module: WaSqliteModule) {
    this.#module = module;
    this.memory = new WaSqliteMemory(module);
    this.c = functionsOf(module);
  }

  get version(): string {
    return readCString(this.memory, this.c.libversion()) as string;
  }

  get sourceId(): string {
    return readCString(this.memory, this.c.sourceid()) as string;
  }

  callbacks(callbacks: readonly Callback[]): Pointer[] {
    // emscripten's letter for a 64-bit integer is j.
    return makeCallable(callbacks).map((callable, index) =>
      this.#module.addFunction(callable, (callbacks[index] as Callback).signature.replaceAll('I', 'j')),
    );
  }

  registerVfs(vfs: Vfs, makeDefault: boolean): void {
    const bridge = new VfsBridge(vfs, this);
    this.c.vfsRegister(bridge.install(this), makeDefault ? 1 : 0);
  }
}

function functionsOf(module: WaSqliteModule): SqliteFunctions {
  const plain = Object.fromEntries(
    Object.entries(module)
      .filter(([name]) => name.startsWith('_sqlite3_'))
      .map(([name, fn]) => [camelCase(name.slice('_sqlite3_'.length)), fn as Words]),
  );
  const wide = (low: number) => BigInt.asIntN(64, (BigInt(module.getTempRet0() >>> 0) << 32n) | BigInt(low >>> 0));
  const low = (value: bigint) => Number(BigInt.asIntN(32, value));
  const high = (value: bigint) => Number(BigInt.asIntN(32, value >> 32n));
  const call = (name: string) => plain[name] as Words;
  return {
    ...(plain as unknown as SqliteFunctions),
    lastInsertRowid: (db) => wide(call('lastInsertRowid')(db)),
    columnInt64: (stmt, index) => wide(call('columnInt64')(stmt, index)),
    valueInt64: (value) => wide(call('valueInt64')(value)),
    bindInt64: (stmt, index, value) => call('bindInt64')(stmt, index, low(value), high(value)),
    resultInt64: (context, value) => void call('resultInt64')(context, low(value), high(value)),
    deserialize: (db, schema, data, size, capacity, flags) =>
      call('deserialize')(db, schema, data, low(size), high(size), low(capacity), high(capacity), flags),
  };
}
