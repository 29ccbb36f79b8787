// Starts Holdfast in this thread: the right host, one engine, made at the first open and kept.

import v8 from 'node:v8';
import { Database } from '../../core/database/database.ts';
import type { OpenOptions } from '../../core/database/options.ts';
import { Runtime } from '../../core/database/runtime.ts';
import type { Engine } from '../../core/engine/engine.ts';
import { loadSqliteWasm } from '../../core/engine/sqlite-wasm.ts';
import { type Flavour, makeHost } from './flavour.ts';
import { readWasm } from './wasm-file.ts';

/** As much of a URL object as openSync's types need, for programs compiled without the types of a runtime. */
export interface UrlLike {
  readonly href: string;
  readonly protocol: string;
  readonly pathname: string;
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
  const host = makeHost(flavour);
  return new Runtime(startEngine(flavour), host);
}

export function startEngine(flavour: Flavour): Engine {
  calmTierUp();
  return loadSqliteWasm({ wasm: readWasm(), fixedMemory: flavour.fixedMemory });
}

/**
 * Node 20 optimises a WebAssembly function after so little work that a program which opens a database and reads one row waits
 * 0.15 s at its end for the optimiser. Later versions of V8 have this larger budget, in bytes of code run, as their default.
 */
function calmTierUp(): void {
  if (process.versions.node.startsWith('20.') && process.versions.bun === undefined)
    v8.setFlagsFromString('--wasm-tiering-budget=13000000');
}

function fromUrl(url: URL): string {
  if (url.protocol !== 'file:') throw new TypeError(`Only file: URLs name a database, not ${url.protocol}`);
  return decodeURIComponent(url.pathname);
}
