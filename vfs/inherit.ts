// What a new sidecar takes over from its database: the mode whatever the umask, and as root the owner.

import type { FileStatus, Host } from './host.ts';

/** Else the users of a shared database lock each other out. A sidecar that has content already is left as it is. */
export function inheritAccess(host: Host, fd: number, database: FileStatus): void {
  const now = host.statusOf(fd);
  if (typeof now === 'number' || now.size > 0) return;
  if (now.mode !== database.mode) host.changeMode(fd, database.mode);
  if (host.effectiveUser === 0 && (now.uid !== database.uid || now.gid !== database.gid))
    host.changeOwner(fd, database.uid, database.gid);
}
