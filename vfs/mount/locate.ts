// Where a path leads, for looking at the ground under it: it may not exist yet, and no failure stops the answer.

import { Errnos } from '../errno.ts';
import type { Host } from '../host.ts';
import { directoryOf, resolvePath } from '../paths.ts';

export interface Place {
  /** As it was given. */
  readonly path: string;
  /** Absolute, with all its symbolic links; relative only where there is no working directory any more. */
  readonly named: string;
  /** Absolute and without symbolic links, as far as it exists. */
  readonly resolved: string;
}

/** The calls of a host that are needed to look at the ground. */
export type GroundHost = Pick<
  Host,
  'platform' | 'readText' | 'realPath' | 'readLink' | 'status' | 'list' | 'fileSystem' | 'workingDirectory'
>;

const errnos = new Errnos('linux');

export function locate(host: GroundHost, path: string): Place {
  const absolute = path.startsWith('/') ? path : `${workingDirectory(host)}/${path}`;
  const named = normalized(absolute);
  return { path, named, resolved: absolute.startsWith('/') ? resolve(host, absolute) : named };
}

/** Of a path that cannot be resolved, the longest part that can, and the rest as it is written. */
function resolve(host: GroundHost, absolute: string): string {
  let rest = '';
  for (let at = absolute; ; at = directoryOf(at)) {
    const real = resolvePath(host, errnos, at);
    if (typeof real === 'string') return normalized(`${real}/${rest}`);
    if (at === '/') return normalized(absolute);
    rest = `${at.slice(at.lastIndexOf('/') + 1)}/${rest}`;
  }
}

/** The directory may have been removed, and then there is no path of it. */
function workingDirectory(host: GroundHost): string {
  try {
    return host.workingDirectory();
  } catch {
    return '.';
  }
}

/** As text alone: without empty parts, `.` and `..`. */
export function normalized(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `${path.startsWith('/') ? '/' : ''}${parts.join('/')}`;
}
