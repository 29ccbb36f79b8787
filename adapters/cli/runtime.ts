// Which build of Holdfast works here: the one for the runtime that we are running on.

import type { Runtime } from '../../core/database/runtime.ts';
import type { Engine } from '../../core/engine/engine.ts';
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

/** An engine of its own, for commands that work below the public Database. */
export async function loadRuntime(): Promise<Runtime> {
  const { startRuntime } = await import('../node/start.ts');
  return startRuntime(await loadFlavour());
}

/** An engine that no runtime uses yet. */
export async function loadEngine(): Promise<Engine> {
  const { startEngine } = await import('../node/start.ts');
  return startEngine(await loadFlavour());
}

async function loadFlavour(): Promise<Flavour> {
  if (process.versions.bun === undefined) return (await import('../node/flavour.ts')).nodeFlavour;
  return (await import('../bun/flavour.ts')).bunFlavour;
}
