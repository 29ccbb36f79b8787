// Classifies by a table that a test writes, with what the file system would answer given beside it.

import type { Classification } from '../../../vfs/mount/classification.ts';
import { classifyIn, type Look } from '../../../vfs/mount/classify.ts';
import { normalized } from '../../../vfs/mount/locate.ts';
import { parseMountInfo } from '../../../vfs/mount/mountinfo.ts';

export const ROOT = '29 1 254:0 / / rw,relatime - ext4 /dev/vda rw';

/** Nothing exists but what a test says. */
export const NOWHERE: Look = { realPath: () => undefined, isFile: () => false, magic: () => undefined };

/** The ground under `path`, which is real; `look` says what is there. `table` undefined: it cannot be read. */
export function judged(table: string | undefined, path: string, look: Partial<Look> = {}, named = path): Classification {
  const mounts = table === undefined ? undefined : parseMountInfo(table);
  return classifyIn(mounts, { path: named, named: normalized(named), resolved: path }, { ...NOWHERE, ...look });
}

/** One mount at /data, on a native root. */
export function onData(type: string, source = 'data', options = 'rw', path = '/data/app.db'): Classification {
  return judged(`${ROOT}\n36 29 0:31 / /data rw,relatime - ${type} ${source} ${options}`, path);
}
