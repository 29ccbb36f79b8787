// The production engine: the stock sqlite3.wasm of @sqlite.org/sqlite-wasm, loaded directly and synchronously, without its glue.

import type { Vfs } from '../../vfs/vfs.ts';
import { makeCallable } from './callbacks.ts';
import type { Callback, Engine, EngineMemory, Pointer, SqliteFunctions } from './engine.ts';
import { readCString } from './strings.ts';
import { VfsBridge } from './vfs-bridge.ts';

const PAGE = 65536;
/** What the module was linked with (INITIAL_MEMORY 8 MiB). */
const INITIAL_PAGES = 128;
/** 2 GiB, the most that the module allows. */
export const MAXIMUM_PAGES = 32768;
/** Grow by at least this share of the present size, so that a growing cache does not ask a thousand times. */
const GROWTH = 0.2;
/** ENOSYS in the numbering of WASI and of emscripten's libc. */
const ENOSYS = 52;

export interface SqliteWasmOptions {
  /** The bytes of sqlite3.wasm, or the compiled module of another thread. */
  wasm: Uint8Array<ArrayBuffer> | WebAssembly.Module;
  /**
   * The memory can be moved by this runtime when it grows (JavaScriptCore does), so it must be made at its full size.
   * Only addresses are reserved by that; pages are used as they are touched.
   */
  fixedMemory: boolean;
}

type Exports = Record<string, (...args: never[]) => unknown> & { __indirect_function_table: WebAssembly.Table };

/** Compiles, links and starts one engine. Each has a memory of its own; a thread usually needs just one. */
export function loadSqliteWasm(options: SqliteWasmOptions): Engine {
  const initial = options.fixedMemory ? MAXIMUM_PAGES : INITIAL_PAGES;
  const wasmMemory = new WebAssembly.Memory({ initial, maximum: MAXIMUM_PAGES });
  const module = options.wasm instanceof WebAssembly.Module ? options.wasm : new WebAssembly.Module(options.wasm);
  const memory = new WasmMemory(() => wasmMemory.buffer);
  const instance = new WebAssembly.Instance(module, systemImports(module, wasmMemory, memory));
  const exports = instance.exports as unknown as Exports;
  memory.useAllocator(exports);
  (exports.__wasm_call_ctors as () => void)();
  const engine = new SqliteWasmEngine(exports, memory);
  (exports.sqlite3_initialize as () => number)();
  return engine;
}

class WasmMemory implements EngineMemory {
  readonly #buffer: () => ArrayBuffer;
  #u8: Uint8Array;
  #i32: Int32Array;
  #f64: Float64Array;
  #align: (alignment: number, size: number) => Pointer = () => 0;
  #free: (pointer: Pointer) => void = () => {};

  constructor(buffer: () => ArrayBuffer) {
    this.#buffer = buffer;
    this.#u8 = new Uint8Array(buffer());
    this.#i32 = new Int32Array(buffer());
    this.#f64 = new Float64Array(buffer());
  }

  useAllocator(exports: Exports): void {
    this.#align = exports.emscripten_builtin_memalign as unknown as (alignment: number, size: number) => Pointer;
    this.#free = exports.free as unknown as (pointer: Pointer) => void;
  }

  // A buffer that was replaced by growth is detached, and its views are empty: that is cheaper to ask than the memory itself.
  get u8(): Uint8Array {
    if (this.#u8.length === 0) this.#refresh();
    return this.#u8;
  }

  get i32(): Int32Array {
    if (this.#i32.length === 0) this.#refresh();
    return this.#i32;
  }

  get f64(): Float64Array {
    if (this.#f64.length === 0) this.#refresh();
    return this.#f64;
  }

  allocate(alignment: number, size: number): Pointer {
    return this.#align(alignment, size);
  }

  release(pointer: Pointer): void {
    this.#free(pointer);
  }

  #refresh(): void {
    this.#u8 = new Uint8Array(this.#buffer());
    this.#i32 = new Int32Array(this.#buffer());
    this.#f64 = new Float64Array(this.#buffer());
  }
}

class SqliteWasmEngine implements Engine {
  readonly name = 'sqlite-wasm';
  readonly memory: EngineMemory;
  readonly c: SqliteFunctions;
  readonly #table: WebAssembly.Table;

  constructor(exports: Exports, memory: EngineMemory) {
    this.memory = memory;
    this.#table = exports.__indirect_function_table;
    this.c = Object.fromEntries(
      Object.entries(exports)
        .filter(([name]) => /^sqlite3_[a-z]/.test(name))
        .map(([name, fn]) => [camelCase(name.slice('sqlite3_'.length)), fn]),
    ) as unknown as SqliteFunctions;
  }

  get version(): string {
    return readCString(this.memory, this.c.libversion()) as string;
  }

  get sourceId(): string {
    return readCString(this.memory, this.c.sourceid()) as string;
  }

  callbacks(callbacks: readonly Callback[]): Pointer[] {
    return makeCallable(callbacks).map((callable) => {
      const index = this.#table.grow(1);
      this.#table.set(index, callable);
      return index;
    });
  }

  registerVfs(vfs: Vfs, makeDefault: boolean): void {
    const bridge = new VfsBridge(vfs, this);
    this.c.vfsRegister(bridge.install(this), makeDefault ? 1 : 0);
  }
}

export function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * What emscripten's libc asks of its surroundings: clock, time zone, memory. File system calls are answered with ENOSYS;
 * our VFS never makes them.
 */
function systemImports(module: WebAssembly.Module, wasmMemory: WebAssembly.Memory, memory: EngineMemory): WebAssembly.Imports {
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    if (kind === 'function') imports[from][name] = () => (from === 'env' ? -ENOSYS : ENOSYS);
  }
  imports.env = {
    ...imports.env,
    memory: wasmMemory,
    emscripten_date_now: () => Date.now(),
    emscripten_get_now: () => performance.now(),
    emscripten_get_heap_max: () => MAXIMUM_PAGES * PAGE,
    emscripten_resize_heap: (wanted: number) => (growTo(wasmMemory, wanted >>> 0) ? 1 : 0),
    _localtime_js: (time: bigint, out: number) => memory.i32.set(localTime(Number(time)), out >> 2),
    _tzset_js: (timezone: number, daylight: number, standardName: number, daylightName: number) => {
      memory.i32[timezone >> 2] = new Date(0).getTimezoneOffset() * 60;
      memory.i32[daylight >> 2] = 0;
      memory.u8[standardName] = 0;
      memory.u8[daylightName] = 0;
    },
  };
  imports.wasi_snapshot_preview1 = {
    ...imports.wasi_snapshot_preview1,
    clock_time_get: (_clock: number, _precision: bigint, out: number) => {
      new DataView(memory.u8.buffer).setBigUint64(out, BigInt(Math.round(Date.now() * 1e6)), true);
      return 0;
    },
  };
  return imports;
}

function growTo(memory: WebAssembly.Memory, bytes: number): boolean {
  const now = memory.buffer.byteLength / PAGE;
  const needed = Math.ceil(bytes / PAGE);
  // To say yes to less than was asked for would let the engine write past the end.
  if (needed > MAXIMUM_PAGES) return false;
  const generous = Math.min(MAXIMUM_PAGES, Math.max(needed, Math.ceil(now * (1 + GROWTH))));
  for (const target of [generous, needed]) {
    if (target <= now) continue;
    try {
      memory.grow(target - now);
      return true;
    } catch {
      // Not that much; perhaps the bare need.
    }
  }
  return false;
}

/** The fields of C's struct tm for a moment in local time. */
function localTime(seconds: number): number[] {
  const date = new Date(seconds * 1000);
  const newYear = new Date(date.getFullYear(), 0, 1);
  const dayOfYear = Math.round(
    (Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - Date.UTC(date.getFullYear(), 0, 1)) / 86400000,
  );
  const offset = date.getTimezoneOffset();
  const standard = Math.max(newYear.getTimezoneOffset(), new Date(date.getFullYear(), 6, 1).getTimezoneOffset());
  return [
    date.getSeconds(),
    date.getMinutes(),
    date.getHours(),
    date.getDate(),
    date.getMonth(),
    date.getFullYear() - 1900,
    date.getDay(),
    dayOfYear,
    offset < standard ? 1 : 0,
    -offset * 60,
  ];
}
