// The two engines, each started on a host of this runtime, for the suites that run on both.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { bunFlavour } from '../../../adapters/bun/flavour.ts';
import { type Flavour, makeHost, nodeFlavour } from '../../../adapters/node/flavour.ts';
import { startRuntime } from '../../../adapters/node/start.ts';
import { Runtime } from '../../../core/database/runtime.ts';
import { loadWaSqlite, type WaSqliteFactory } from '../../../core/engine/wa-sqlite.ts';

export const flavour: Flavour = process.versions.bun === undefined ? nodeFlavour : bunFlavour;

async function startWaSqlite(): Promise<Runtime> {
  const require = createRequire(import.meta.url);
  const glue = require.resolve('wa-sqlite/dist/wa-sqlite.mjs');
  const { default: factory } = (await import(pathToFileURL(glue).href)) as { default: WaSqliteFactory };
  return new Runtime(await loadWaSqlite(factory, fs.readFileSync(glue.replace(/\.mjs$/, '.wasm'))), makeHost(flavour));
}

export const engines: readonly { name: string; start: () => Promise<Runtime> }[] = [
  { name: 'sqlite-wasm', start: async () => startRuntime(flavour) },
  { name: 'wa-sqlite', start: startWaSqlite },
];
