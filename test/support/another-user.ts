// Running peers as a user without rights: root ignores mode bits, so what they forbid can only be seen as somebody else.

import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleUrl, currentRuntime } from './runtimes.ts';
import { answers, findPython, findRoot, findTool, type Need } from './tools.ts';

export interface AnotherUser {
  /** To be put before a command. */
  before: string[];
  /** A native SQLite that this user may run. */
  python: string;
}

export const NOBODY = 65534;

export function findAnotherUser(): Need<AnotherUser> {
  const needs = [findRoot(), findTool('setpriv')] as const;
  for (const need of needs) if ('missing' in need) return need;
  const setpriv = (needs[1] as { found: string }).found;
  const before = [setpriv, '--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups'];
  const python = findPython(before);
  if ('missing' in python) return { missing: `for user ${NOBODY}: ${python.missing}` };
  const mayRun = answers([...before, ...currentRuntime.command, '-e', '0']);
  const bundle = fileURLToPath(bundleUrl(currentRuntime.name));
  const mayRead = fs.existsSync(bundle) && answers([...before, 'cat', bundle]);
  if (!mayRead) return { missing: `user ${NOBODY} may not read ${bundle}` };
  return mayRun ? { found: { before, python: python.found } } : { missing: `user ${NOBODY} may not run ${process.execPath}` };
}
