// The runtime that runs this test, the others that are present, and Holdfast for each of them.

import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Flavour } from '../../adapters/node/flavour.ts';
import { Database } from '../../core/database/database.ts';
import type { OpenOptions } from '../../core/database/options.ts';
import type { Runtime } from '../../core/database/runtime.ts';
import { findBun } from './tools.ts';

export type RuntimeName = 'node' | 'bun';

export interface RuntimeCommand {
  name: RuntimeName;
  command: string[];
}

export const isBun = process.versions.bun !== undefined;
export const currentRuntime: RuntimeCommand = { name: isBun ? 'bun' : 'node', command: [process.execPath] };

/** This runtime, and Bun as well if it is present. */
export function presentRuntimes(): RuntimeCommand[] {
  const bun = isBun ? undefined : findBun();
  return bun ? [currentRuntime, { name: 'bun', command: [bun] }] : [currentRuntime];
}

/** The built bundle; HOLDFAST_DIST names another folder that it was built into. */
export function bundleUrl(runtime: RuntimeName): string {
  const folder = process.env.HOLDFAST_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url));
  return pathToFileURL(path.join(folder, `${runtime}.js`)).href;
}

const adapter = isBun ? await import('../../adapters/bun/index.ts') : await import('../../adapters/node/index.ts');

/** Opens with the source of this runtime's adapter. */
export const openSync: (path: string, options?: OpenOptions) => Database = adapter.openSync;

/** An engine of its own in this thread, and how to open databases on it. */
export async function separateEngine(): Promise<{ runtime: Runtime; openSync: typeof openSync }> {
  const { startRuntime } = await import('../../adapters/node/start.ts');
  const runtime = startRuntime(await flavour());
  return { runtime, openSync: (file, options = {}) => new Database(runtime, file, options) };
}

async function flavour(): Promise<Flavour> {
  if (isBun) return (await import('../../adapters/bun/flavour.ts')).bunFlavour;
  return (await import('../../adapters/node/flavour.ts')).nodeFlavour;
}
