// What is said of the ground under a path: its mount, the class of the file system, and whether WAL is safe on it.

/**
 * - `native`: a file system of this kernel; locks and shared memory reach everybody who can open the file.
 * - `cross-vm`: shared with another kernel (virtiofs, 9p, a desktop hypervisor's folder); no lock crosses.
 * - `network`: a file server behind it; locks and caches depend on the protocol and its options.
 * - `fuse`: some other FUSE file system; nothing is proven.
 * - `unknown`: could not be found out, or a type that we do not know.
 */
export type MountClass = 'native' | 'cross-vm' | 'network' | 'fuse' | 'unknown';

export interface Classification {
  /** As it was given. */
  readonly path: string;
  /** Absolute and without symbolic links, as far as it exists. */
  readonly resolved: string;
  /** Undefined, as are the next three, where there is no mount table or no line of it fits. */
  readonly mountPoint: string | undefined;
  readonly fsType: string | undefined;
  readonly source: string | undefined;
  /** Per-mount options and those of the file system, as one comma-separated list. */
  readonly options: string | undefined;
  readonly class: MountClass;
  /** Whether a database in WAL mode is safe here. False for what is not known. */
  readonly walSafe: boolean;
  /** The file itself, and not its folder, is mounted: its sidecars lie on another mount, where others do not see them. */
  readonly fileIsMountPoint: boolean;
  /** Why it is in this class: one sentence without a full stop. */
  readonly reason: string;
  /** What to do; undefined where nothing has to be done. */
  readonly remedy: string | undefined;
}

/** The same ground for a caller who vouches for it. */
export function trusted(ground: Classification): Classification {
  const reason = `the caller vouches for it (trustMount); otherwise: ${ground.reason}`;
  return ground.walSafe ? ground : { ...ground, walSafe: true, reason, remedy: undefined };
}
