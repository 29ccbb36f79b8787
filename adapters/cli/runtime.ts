// Which build of Holdfast opens databases here: the one for the runtime that we are running on.

import type { openSync } from '../node/index.ts';

export async function loadOpener(): Promise<typeof openSync> {
  const runtime = process.versions.bun === undefined ? await import('../node/index.ts') : await import('../bun/index.ts');
  return runtime.openSync;
}
