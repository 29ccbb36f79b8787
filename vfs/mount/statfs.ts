// The second witness, for when the mount table is missing: the magic number of statfs(2), believed only where it shows danger.

/**
 * A 9p mount shows the number of the server's own file system, so a native number proves nothing. Sources:
 * linux/magic.h; statfs(2); for those of no kernel header, the list of coreutils' stat.
 */
const UNSAFE: ReadonlyMap<number, string> = new Map([
  [0x6969, 'nfs'],
  [0xff534d42, 'cifs'],
  [0xfe534d42, 'smb3'],
  [0x517b, 'smbfs'],
  [0x01021997, '9p'],
  [0x65735546, 'fuse'],
  [0x00c36400, 'ceph'],
  [0x0bd00bd0, 'lustre'],
  [0x47504653, 'gpfs'],
  [0x19830326, 'beegfs'],
  [0x20030528, 'orangefs'],
  [0x5346414f, 'afs'],
  [0x6b414653, 'afs'],
  [0x73757245, 'coda'],
  [0x7461636f, 'ocfs2'],
  [0x01161970, 'gfs2'],
  [0xbeefdead, 'snfs'],
  [0x61636673, 'acfs'],
  [0xaad7aaea, 'panfs'],
  [0x564c, 'ncpfs'],
  [0x786f4256, 'vboxsf'],
  [0x7c7c6673, 'prl_fs'],
  [0xbacbacbc, 'vmhgfs'],
  [0x00c0ffee, 'hostfs'],
]);

/** The name of a type that is unsafe for WAL, or undefined: then nothing is known. */
export function unsafeType(magic: number): string | undefined {
  return UNSAFE.get(magic >>> 0);
}
