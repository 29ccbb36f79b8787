// What a person reads about the ground: how a mount is named, what its class means, and what to do.

import type { MountClass } from './classification.ts';
import type { Mount } from './mountinfo.ts';

/** `/data is nfs4 from server:/data`; a source that says nothing is left out. */
export function shown({ mountPoint, fsType, source }: Mount): string {
  const says = !['', '-', 'none', fsType].includes(source);
  return `${mountPoint} is ${fsType}${says ? ` from ${source}` : ''}`;
}

export const CONSEQUENCE: Readonly<Record<MountClass, string>> = {
  native: 'locks and shared memory reach everybody who uses it',
  'cross-vm': 'no lock and no shared memory crosses to the other kernel, so that WAL can corrupt a database without any error',
  network: 'programs on other machines share its files but no memory, so that WAL can corrupt a database without any error',
  fuse: 'it is not proven that locks and shared memory work there as WAL needs them',
  unknown: 'nothing is known of its locks and shared memory',
};

/** The two ways out: leave WAL, or leave the mount. */
const CONVERT = 'stop every program that uses the database and run `holdfast journal FILE delete` once';
const MOVE = 'move it to a native file system, such as a local disk or a named volume';
const PROBE = '`holdfast probe DIR` tells what works there; to be safe';

export const REMEDY = {
  native: undefined,
  'cross-vm': `${CONVERT}, and never use it from both sides at once; or ${MOVE}`,
  network: `${CONVERT}, and never use it from two machines at once; or ${MOVE}`,
  fuse: `${PROBE}, ${CONVERT}, or ${MOVE}`,
  unknown: `${PROBE}, ${CONVERT}, or ${MOVE}`,
  gvisor: `${CONVERT}, or ${MOVE}; if nothing outside of the sandbox uses it, open it with trustMount: true`,
  localLocks: (option: string) =>
    `mount it without ${option}, or let only one machine use the database; and ${CONVERT}, or ${MOVE}`,
  file: (other: string | undefined) =>
    `mount the folder that holds the database, not the file alone${other ? `; then ${other}` : ''}`,
} as const;
