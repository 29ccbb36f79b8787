// Removing the folders of probes: ours, and those of probes that were killed.

import type { Ground } from './ground.ts';
import type { Steps } from './steps.ts';

/** Names that probes make in their folders. Whatever else lies there is somebody's. */
const OURS = /^(?:[abc]|file|race)\.[A-Za-z0-9._-]+$/;
/** What network and FUSE file systems make of an unlinked file that is still open. */
const SILLY_RENAMED = /^\.(?:nfs|fuse_hidden|smb|cifs)[A-Za-z0-9]+$/;
/** Somebody may still be making names in it; silly-renamed files go when they are closed. */
const TRIES = 60;
const BETWEEN_TRIES = 50;

/** Removes a folder and the names in it, one level deep. Answers 0, or the -errno of the last try. */
export function* removeFolder(ground: Ground, path: string): Steps<number> {
  let last = removeOnce(ground, path);
  for (let tries = 1; last < 0 && tries < TRIES && !isFinal(ground, last); tries++) {
    yield BETWEEN_TRIES;
    last = removeOnce(ground, path);
  }
  return last;
}

/** Removes what can be removed now. */
export function removeOnce(ground: Ground, path: string): number {
  const { host } = ground;
  const names = host.list(path);
  if (typeof names === 'number') return ground.is(names, 'ENOENT') ? 0 : names;
  for (const name of names.filter((name) => OURS.test(name) || SILLY_RENAMED.test(name))) {
    const at = `${path}/${name}`;
    // Nearly all of them are folders. What is one and what is not differs by system: EISDIR, EPERM, ENOTDIR.
    if (host.removeDirectory(at) < 0) host.unlink(at);
  }
  const removed = host.removeDirectory(path);
  return ground.is(removed, 'ENOENT') ? 0 : removed;
}

function isFinal(ground: Ground, result: number): boolean {
  return ['EACCES', 'EPERM', 'EROFS'].some((name) => ground.is(result, name));
}
