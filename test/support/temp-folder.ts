// A folder of its own for one test, removed when the test is finished.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

export function tempFolder(): string {
  // The real path, as /proc and the kernel know it.
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-test-')));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A path in a new folder. */
export function tempPath(name = 'test.db'): string {
  return path.join(tempFolder(), name);
}

export const SIDECARS = ['-journal', '-wal', '-shm'] as const;

/** Which sidecars lie beside a database. */
export function sidecarsOf(database: string): string[] {
  return SIDECARS.filter((suffix) => fs.existsSync(database + suffix));
}
