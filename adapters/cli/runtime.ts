// Which build of Holdfast works here: the one for the runtime that we are running on.

import type { Host } from '../../vfs/host.ts';
import type { Flavour } from '../node/flavour.ts';
import type { openSync } from '../node/index.ts';

export async function loadOpener(): Promise<typeof openSync> {
  const runtime = process.versions.bun === undefined ? await import('../node/index.ts') : await import('../bun/index.ts');
  return runtime.openSync;
}

/** The host alone, for commands that need no engine. */
export async function loadHost(): Promise<Host> {
  const { makeHost } = await import('../node/flavour.ts');
  return makeHost(await loadFlavour());
}

async function loadFlavour(): Promise<Flavour> {
  if (process.versions.bun === undefined) return (await import('../node/flavour.ts')).nodeFlavour;
  return (await import('../bun/flavour.ts')).bunFlavour;
}
