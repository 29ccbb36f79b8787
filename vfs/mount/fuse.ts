// FUSE mounts: which program is behind one, told by the subtype of its type or, where it names none, by its source.

import type { Mount } from './mountinfo.ts';
import { type FileSystemType, fuseType } from './types.ts';

/** `fuse`, `fuse.sshfs`; `fuseblk` for one on a block device. */
const FUSE_NAME = /^fuse(blk)?(?:\.(.+))?$/;
/** Docker Desktop's shares, on whatever type they appear. */
const DOCKER_SHARE = /^(?:virtiofs3|\/run\/host_mark(?:\/.*)?|\/run\/host_virtiofs(?:\/.*)?)$/;
const DOCKER: FileSystemType = { class: 'cross-vm', what: 'a folder of the host in Docker Desktop' };
const SERVER: FileSystemType = { class: 'network', what: 'a folder of a server' };

/** Undefined if `type` (in lower case) is no FUSE. */
export function fuseBehind(type: string, { source }: Mount): FileSystemType | undefined {
  const match = FUSE_NAME.exec(type);
  if (!match) return undefined;
  if (DOCKER_SHARE.test(source)) return DOCKER;
  const [, onDevice, subtype] = match;
  // Older programs write "name#what" into the source, and mount-s3 its name alone.
  const name = subtype ?? source.toLowerCase().replace(/#.*$/s, '');
  const known = fuseType(name) ?? (name.startsWith('blobfuse') ? fuseType('blobfuse') : undefined);
  if (known) return known;
  // davfs2 shows no name, but the address.
  if (/^(?:https?|davs?|ftps?|sftp|smb|nfs):\/\//i.test(source)) return SERVER;
  return { class: 'fuse', what: onDevice ? 'a block device through FUSE' : 'a FUSE file system' };
}
