// Starts Holdfast in this thread: the right host, one engine, made at the first open and kept.

import v8 from 'node:v8';
import { Database } from '../../core/database/database.ts';
import type { OpenOptions } from '../../core/database/open.ts';
import { Runtime } from '../../core/database/runtime.ts';
import { loadSqliteWasm } from '../../core/engine/sqlite-wasm.ts';
import { PlatformError } from '../../core/error.ts';
import type { Platform } from '../../vfs/errno.ts';
import type { Host } from '../../vfs/host.ts';
import { type Libc, loadLibc } from './libc.ts';
import { readWasm } from './wasm-file.ts';

/** As much of a URL object as openSync's types need, for programs compiled without the types of a runtime. */
export interface UrlLike {
  readonly href: string;
  readonly protocol: string;
  readonly pathname: string;
}

/** What differs between the runtimes. */
export interface Flavour {
  makeHost(libc: Libc, platform: Platform): Host;
  /** The runtime moves a WebAssembly memory that grows. */
  fixedMemory: boolean;
}

export function makeOpener(flavour: Flavour): (source: string | UrlLike | Uint8Array, options?: OpenOptions) => Database {
  let runtime: Runtime | undefined;
  return (source, options = {}) => {
    runtime ??= startRuntime(flavour);
    return new Database(runtime, source instanceof URL ? fromUrl(source) : (source as string | Uint8Array), options);
  };
}

/** A new engine on a new host; tests use it to have two in one thread. */
export function startRuntime(flavour: Flavour): Runtime {
  calmTierUp();
  const host = makeHost(flavour);
  return new Runtime(loadSqliteWasm({ wasm: readWasm(), fixedMemory: flavour.fixedMemory }), host);
}

/**
 * Node 20 optimises a WebAssembly function after so little work that a program which opens a database and reads one row waits
 * 0.15 s at its end for the optimiser. Later versions of V8 have this larger budget, in bytes of code run, as their default.
 */
function calmTierUp(): void {
  if (process.versions.node.startsWith('20.') && process.versions.bun === undefined)
    v8.setFlagsFromString('--wasm-tiering-budget=13000000');
}

export function makeHost(flavour: Flavour): Host {
  const platform = process.platform;
  if (platform !== 'linux' && platform !== 'darwin')
    throw unsupported(
      `Holdfast does not run on ${platform} yet: it needs byte-range locks and shared mappings, which are built for Linux (and untested for macOS)`,
    );
  let libc: Libc;
  try {
    libc = loadLibc(platform);
  } catch (error) {
    throw unsupported(
      `The C library could not be reached through koffi on ${platform} ${process.arch}: ${(error as Error).message}. Without it there are no locks, and Holdfast does not run without locks`,
    );
  }
  return flavour.makeHost(libc, platform);
}

function fromUrl(url: URL): string {
  if (url.protocol !== 'file:') throw new TypeError(`Only file: URLs name a database, not ${url.protocol}`);
  return decodeURIComponent(url.pathname);
}

function unsupported(message: string): PlatformError {
  return new PlatformError(message, { code: 'HOLDFAST_PLATFORM', resultCode: 0 });
}
