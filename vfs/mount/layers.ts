// File systems that keep their files in a folder of another one, and are as safe as that one.

import { type Mount, mountOf } from './mountinfo.ts';
import { optionValue } from './options.ts';

/** What lies beneath: another mount, or why it is taken for a file system of this kernel. */
export type Beneath = { readonly folder: string; readonly mount: Mount | undefined } | { readonly native: string };

/** Undefined if `type` has no layers. `realPath` answers undefined for what does not exist here. */
export function beneath(
  type: string,
  mount: Mount,
  mounts: readonly Mount[],
  realPath: (path: string) => string | undefined,
): Beneath | undefined {
  let folder: string | undefined;
  if (type === 'overlay' || type === 'overlayfs') folder = optionValue(mount, 'upperdir');
  else if (type === 'ecryptfs') folder = mount.source;
  else return undefined;
  if (folder === undefined) return { native: 'it has no upper folder, so that nothing is written to it' };
  // The root of a container: the path is one of the container's host, and means nothing, or our own root, in here.
  const real = folder.startsWith('/') ? realPath(folder) : undefined;
  const under = real === undefined ? undefined : mountOf(mounts, real);
  if (real === undefined || under === mount)
    return { native: `its files are in ${folder} outside of this container, taken for a local folder` };
  return { folder, mount: under };
}
