// Paths as text: the folder of a path, and the one real path that a name leads to.

import type { Errnos } from './errno.ts';
import type { Host } from './host.ts';

/** Links followed before we call it a loop; what Linux itself allows (path_resolution(7)). */
const MAX_LINKS = 40;

export function directoryOf(path: string): string {
  const cut = path.lastIndexOf('/');
  return cut <= 0 ? (cut === 0 ? '/' : '.') : path.slice(0, cut);
}

function join(directory: string, name: string): string {
  return directory.endsWith('/') ? directory + name : `${directory}/${name}`;
}

/**
 * The absolute path without symbolic links that `name` leads to, or -errno. The last part need not exist yet; a link
 * whose target is missing leads to that target, as it does for open(2) with O_CREAT.
 */
export function resolvePath(
  host: Pick<Host, 'realPath' | 'readLink' | 'workingDirectory'>,
  errnos: Errnos,
  name: string,
): string | number {
  let path = name.startsWith('/') ? name : join(host.workingDirectory(), name);
  for (let links = 0; links <= MAX_LINKS; links++) {
    const real = host.realPath(path);
    if (typeof real === 'string') return real;
    if (real !== -errnos.number('ENOENT')) return real;
    const directory = host.realPath(directoryOf(path));
    if (typeof directory === 'number') return directory;
    const last = path.slice(path.lastIndexOf('/') + 1);
    if (last === '') return -errnos.number('ENOENT');
    const target = host.readLink(path);
    if (typeof target !== 'string') return join(directory, last);
    path = target.startsWith('/') ? target : join(directory, target);
  }
  return -errnos.number('ELOOP');
}
