// The mount table as text, parsed; and which mount a path stands on. Source: proc_pid_mountinfo(5).

export interface Mount {
  /** Identifies the mount within its table, as does the next one: the mount that it is attached to. */
  id: string;
  parent: string;
  /** What of the file system is seen at the mount point: `/`, or the folder or file that was bound. */
  root: string;
  mountPoint: string;
  fsType: string;
  source: string;
  /** Per-mount options, then those of the file system, as one comma-separated list; escapes in it are left as they are. */
  options: string;
}

const ESCAPES = /(?:\\[0-3][0-7]{2})+/g;
const utf8 = new TextDecoder();

/**
 * The kernel writes blank, tab, newline, backslash and # as three octal digits, libmount any byte; decoded once, never twice.
 */
function decodeOctal(field: string): string {
  if (!field.includes('\\')) return field;
  return field.replace(ESCAPES, (escapes) => {
    const octal = escapes.split('\\').slice(1);
    return utf8.decode(Uint8Array.from(octal, (digits) => Number.parseInt(digits, 8)));
  });
}

/** Parses the text of a mountinfo file. A line that does not fit the format is left out. */
export function parseMountInfo(text: string): Mount[] {
  const mounts: Mount[] = [];
  for (const line of text.split('\n')) {
    // Single blanks separate, so that an empty source keeps its place: "tmpfs  rw".
    const fields = line.split(' ');
    const separator = fields.indexOf('-', 6);
    const [id = '', parent = '', , root = '', mountPoint] = fields;
    const fsType = fields[separator + 1];
    if (separator < 0 || !mountPoint?.startsWith('/') || !fsType) continue;
    const superOptions = fields.slice(separator + 3).join(' ');
    mounts.push({
      id,
      parent,
      root: decodeOctal(root),
      mountPoint: decodeOctal(mountPoint),
      fsType: decodeOctal(fsType),
      source: decodeOctal(fields[separator + 2] ?? ''),
      options: [fields[5], superOptions].filter(Boolean).join(','),
    });
  }
  return mounts;
}

/**
 * The mount that holds `path` (absolute, resolved): the longest mount point, of equal ones the last, which covers the others;
 * but none that is covered, or lies hidden below a mount made later on a folder above it. A place where autofs waits counts
 * as what it is in: what it will mount is not there yet.
 */
export function mountOf(mounts: readonly Mount[], path: string): Mount | undefined {
  const onTheWay = mounts.filter(({ mountPoint }) => holds(mountPoint, path));
  const best = onTheWay
    .toReversed()
    .sort((one, other) => other.mountPoint.length - one.mountPoint.length)
    .filter(({ fsType }) => fsType !== 'autofs');
  // Where all of them hide each other, the table is broken.
  return best.find((mount) => !isHidden(mount, onTheWay)) ?? best[0];
}

function holds(mountPoint: string, path: string): boolean {
  if (!path.startsWith(mountPoint)) return false;
  return path.length === mountPoint.length || mountPoint.endsWith('/') || path[mountPoint.length] === '/';
}

/** Whether one of these mounts, all on the way to the same path, was mounted over `mount` or over a folder on the way to it. */
function isHidden(mount: Mount, onTheWay: readonly Mount[]): boolean {
  let length = Number.POSITIVE_INFINITY;
  let on: Mount | undefined = mount;
  for (let steps = 0; on !== undefined && steps < onTheWay.length; steps++) {
    const { id, parent, mountPoint }: Mount = on;
    if (onTheWay.some((other) => covers(other, id, length))) return true;
    length = mountPoint.length;
    on = parent === id ? undefined : onTheWay.find((other) => other.id === parent);
  }
  return false;
}

/** Whether `mount` is attached to the mount `id`, and nearer to its root than what we came from. */
function covers(mount: Mount, id: string, length: number): boolean {
  return mount.parent === id && mount.id !== id && mount.mountPoint.length < length && mount.fsType !== 'autofs';
}
