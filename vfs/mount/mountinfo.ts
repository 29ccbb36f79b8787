// The mount table as text, parsed; and which mount a path stands on. Source: proc_pid_mountinfo(5).

export interface Mount {
  mountPoint: string;
  fsType: string;
  source: string;
  /** Per-mount options, then those of the file system, as one comma-separated list. */
  options: string;
}

/** The kernel writes blank, tab, newline and backslash as three octal digits, and only those; decoded once, never twice. */
function decodeOctal(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

/** Parses the text of a mountinfo file. A line that does not fit the format is left out. */
export function parseMountInfo(text: string): Mount[] {
  const mounts: Mount[] = [];
  for (const line of text.split('\n')) {
    // Single blanks separate, so that an empty source keeps its place: "tmpfs  rw".
    const fields = line.split(' ');
    const separator = fields.indexOf('-', 6);
    const mountPoint = fields[4];
    const fsType = fields[separator + 1];
    if (separator < 0 || mountPoint === undefined || fsType === undefined || !mountPoint.startsWith('/')) continue;
    const superOptions = fields.slice(separator + 3).join(' ');
    mounts.push({
      mountPoint: decodeOctal(mountPoint),
      fsType: decodeOctal(fsType),
      source: decodeOctal(fields[separator + 2] ?? ''),
      options: [fields[5], superOptions].filter(Boolean).join(','),
    });
  }
  return mounts;
}

/** The mount that holds `path` (absolute, resolved): the longest mount point; of equal ones the last, which covers the others. */
export function mountOf(mounts: readonly Mount[], path: string): Mount | undefined {
  let best: Mount | undefined;
  for (const mount of mounts) {
    if (best && mount.mountPoint.length < best.mountPoint.length) continue;
    const prefix = mount.mountPoint.endsWith('/') ? mount.mountPoint : `${mount.mountPoint}/`;
    if (path === mount.mountPoint || path.startsWith(prefix)) best = mount;
  }
  return best;
}
