// The working directory, which may have been removed under us; and paths that are relative to it.

import path from 'node:path';
import { CallError } from './call-error.ts';

/** @throws CallError if it does not exist any more. */
export function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    throw new CallError('the working directory does not exist any more; name an absolute PATH');
  }
}

/** Without `.` and `..`, as text. An absolute path needs no working directory. */
export function absolutePath(given: string): string {
  return path.isAbsolute(given) ? path.resolve(given) : path.resolve(workingDirectory(), given);
}
