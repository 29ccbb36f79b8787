// Judges by a mount table that was given as a file: of another machine or container, so that nothing here is looked at.

import fs from 'node:fs';
import type { Classification } from '../../../vfs/mount/classification.ts';
import { classifyIn, type Look } from '../../../vfs/mount/classify.ts';
import { parseMountInfo } from '../../../vfs/mount/mountinfo.ts';
import { CallError } from '../call-error.ts';

/** Nothing can be asked of a file system elsewhere; a path is taken to exist, and its name shows whether it is a file. */
const LOOK: Look = {
  realPath: (path) => path,
  isFile: (path) => /\.(?:db3?|sqlite3?)$/i.test(path),
  magic: () => undefined,
};
const STANDARD_INPUT = 0;

/** `named` is the path made absolute. */
export function classifyByTable(file: string, path: string, named: string): Classification {
  const mounts = parseMountInfo(readTable(file));
  const name = file === '-' ? 'standard input' : file;
  if (mounts.length === 0)
    throw new CallError(`${name} has no line of a mount table as /proc/self/mountinfo shows it (/proc/mounts is another format)`);
  return classifyIn(mounts, { path, named, resolved: named }, LOOK);
}

function readTable(file: string): string {
  try {
    return fs.readFileSync(file === '-' ? STANDARD_INPUT : file, 'utf8');
  } catch (error) {
    throw new CallError(`the mount table cannot be read: ${(error as Error).message}`);
  }
}
