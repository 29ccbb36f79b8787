// The engine is the one that was chosen: its version, what it asks of its surroundings, and how memory and callbacks behave.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { makeCallable } from '../../../core/engine/callbacks.ts';
import { withGrowableTable } from '../../../core/engine/growable-table.ts';
import { engines } from './engines.ts';

const require = createRequire(import.meta.url);
const wasmPath = require.resolve('@sqlite.org/sqlite-wasm/sqlite3.wasm');

function parseVersion(text: string): number[] {
  return text.split('.').map(Number);
}

describe.each(engines)('the engine $name', ({ start }) => {
  it('has no WAL-reset bug (SQLite 3.7.0 to 3.51.2), also inside SQL', async () => {
    const { engine } = await start();
    const [major = 0, minor = 0, patch = 0] = parseVersion(engine.version);
    expect(major * 1e6 + minor * 1e3 + patch).toBeGreaterThanOrEqual(3_051_003);
    expect(engine.sourceId).toMatch(/^20\d\d-\d\d-\d\d .* [0-9a-f]{64}/);
  });

  it('gives aligned memory and takes it back', async () => {
    const { memory } = (await start()).engine;
    const block = memory.allocate(4096, 65536);
    expect(block % 4096).toBe(0);
    memory.u8.fill(7, block, block + 65536);
    memory.release(block);
  });
});

describe('the production engine', () => {
  it('is pinned by the lock file', () => {
    const { version } = JSON.parse(fs.readFileSync(wasmPath.replace(/dist\/sqlite3\.wasm$/, 'package.json'), 'utf8')) as {
      version: string;
    };
    const lock = JSON.parse(fs.readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8'));
    expect(version).toBe('3.54.1-build1');
    expect(lock.packages[''].devDependencies['@sqlite.org/sqlite-wasm']).toBe('3.54.1-build1');
    expect(lock.packages['node_modules/@sqlite.org/sqlite-wasm'].version).toBe('3.54.1-build1');
  });

  it('asks of its surroundings exactly what we know of', () => {
    const module = new WebAssembly.Module(fs.readFileSync(wasmPath));
    expect(
      WebAssembly.Module.imports(module)
        .map(({ name }) => name)
        .sort(),
    ).toMatchInlineSnapshot(`
      [
        "__syscall_chmod",
        "__syscall_faccessat",
        "__syscall_fchmod",
        "__syscall_fchown32",
        "__syscall_fcntl64",
        "__syscall_fstat64",
        "__syscall_ftruncate64",
        "__syscall_getcwd",
        "__syscall_ioctl",
        "__syscall_lstat64",
        "__syscall_mkdirat",
        "__syscall_newfstatat",
        "__syscall_openat",
        "__syscall_readlinkat",
        "__syscall_rmdir",
        "__syscall_stat64",
        "__syscall_unlinkat",
        "__syscall_utimensat",
        "_localtime_js",
        "_mmap_js",
        "_munmap_js",
        "_tzset_js",
        "clock_time_get",
        "emscripten_date_now",
        "emscripten_get_heap_max",
        "emscripten_get_now",
        "emscripten_resize_heap",
        "environ_get",
        "environ_sizes_get",
        "fd_close",
        "fd_fdstat_get",
        "fd_read",
        "fd_seek",
        "fd_sync",
        "fd_write",
        "memory",
      ]
    `);
  });

  it('was built with what we promise', async () => {
    const { Database } = await import('../../../core/database/database.ts');
    const db = new Database(await (engines[0] as (typeof engines)[number]).start(), ':memory:', {});
    const options = (db.pragma('compile_options') as { compile_options: string }[]).map((row) => row.compile_options);
    for (const option of [
      'ENABLE_FTS5',
      'ENABLE_RTREE',
      'ENABLE_SESSION',
      'ENABLE_DBSTAT_VTAB',
      'ENABLE_DBPAGE_VTAB',
      'ENABLE_PREUPDATE_HOOK',
      'ENABLE_COLUMN_METADATA',
      'THREADSAFE=0',
    ])
      expect(options).toContain(option);
    db.exec("CREATE VIRTUAL TABLE f USING fts5(x, tokenize = 'trigram')");
    expect(db.prepare("SELECT datetime(0, 'unixepoch', 'localtime')").pluck().get()).toMatch(/^19(69|70)-/);
    db.close();
  });
});

describe('callbacks', () => {
  it('turn 64-bit integers into numbers and pass the rest as it is', () => {
    const seen: unknown[][] = [];
    const keep = (...args: number[]) => {
      seen.push(args);
      return 5;
    };
    const [wide, real, nothing] = makeCallable([
      { signature: 'iiI', call: keep },
      { signature: 'ddi', call: keep },
      { signature: 'v', call: keep },
    ]) as [(a: number, b: bigint) => number, (a: number, b: number) => number, () => void];
    expect(wide(-1, 2n ** 40n)).toBe(5);
    expect(real(1.5, 2)).toBe(5);
    expect(nothing()).toBeUndefined();
    expect(seen).toEqual([[-1, 2 ** 40], [1.5, 2], []]);
    expect(() => makeCallable([{ signature: 'ix', call: keep }])).toThrow(/no such type/);
  });
});

describe('a growable table', () => {
  it('has no maximum any more, and everything else is as it was', () => {
    const wasm = fs.readFileSync(require.resolve('wa-sqlite/dist/wa-sqlite.wasm'));
    const patched = withGrowableTable(wasm);
    const names = (bytes: BufferSource) => WebAssembly.Module.exports(new WebAssembly.Module(bytes)).map(({ name }) => name);
    expect(names(patched)).toEqual(names(wasm));
    expect(patched.length).toBeLessThan(wasm.length);
    expect(Buffer.compare(withGrowableTable(patched), patched)).toBe(0);
  });
});
