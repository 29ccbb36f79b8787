// A file system of a size that we choose, for one test.

import { execFileSync } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { tempFolder } from './temp-folder.ts';
import { findRoot, type Need } from './tools.ts';

/** Mounts a tmpfs of `bytes`; it goes with the test. */
export function smallDisk(bytes: number): Need {
  const root = findRoot();
  if ('missing' in root) return root;
  const folder = tempFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=755`, 'holdfast-test', folder], { stdio: 'pipe' });
  } catch (error) {
    return { missing: `a tmpfs cannot be mounted here: ${(error as Error).message}` };
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  return { found: folder };
}

/** From now on nothing can be written there. */
export function makeReadonly(folder: string): void {
  execFileSync('mount', ['-o', 'remount,ro', folder]);
}
