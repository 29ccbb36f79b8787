// Real mounts of many kinds, each in a mount namespace of its own, in which a test runs commands.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { supportFile } from './support-file.ts';
import { tempFolder } from './temp-folder.ts';
import { findRoot, findTool, type Need } from './tools.ts';

/** The programs that each kind needs; Debian has them in bindfs, sshfs with openssh-sftp-server, mergerfs, xfsprogs, btrfs-progs. */
const PROGRAMS = {
  tmpfs: [],
  overlay: [],
  /** A folder of a tmpfs, bound. */
  bind: [],
  /** One file; MOUNT is its path. */
  'bind-file': [],
  ext4: ['mkfs.ext4'],
  xfs: ['mkfs.xfs'],
  btrfs: ['mkfs.btrfs'],
  /** An ext4 over a tmpfs, on the same point. */
  stacked: ['mkfs.ext4'],
  /** A folder of an ext4 over a tmpfs that was mounted deeper before. */
  hidden: ['mkfs.ext4'],
  /** A tmpfs whose mount point has a blank and Chinese characters in its name. */
  blank: [],
  bindfs: ['bindfs'],
  /** bindfs that calls itself fuse.virtiofs. */
  'bindfs-virtiofs': ['bindfs'],
  /** No shared memory. */
  'bindfs-direct': ['bindfs'],
  mergerfs: ['mergerfs'],
  sshfs: ['sshfs'],
} as const satisfies Record<string, readonly string[]>;

export type MountKind = keyof typeof PROGRAMS;
export const MOUNT_KINDS = Object.keys(PROGRAMS) as readonly MountKind[];

export interface RealMount {
  readonly kind: MountKind;
  /**
   * Put before a command: it then runs with a new mount of this kind, which goes when the command ends. In its environment,
   * MOUNT is the mount point and BACKING the folder behind a mount that passes through (bind, overlay, FUSE).
   */
  before(): string[];
}

export interface RanThere {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** What mount.sh ends with if it could not mount. */
const NOT_MOUNTED = 97;
const SFTP_SERVERS = ['/usr/lib/openssh/sftp-server', '/usr/libexec/openssh/sftp-server', '/usr/lib/ssh/sftp-server'];
const tried = new Map<MountKind, Need<RealMount>>();

/** A kind of mount, if it can be made here: it is tried once. */
export function findMount(kind: MountKind): Need<RealMount> {
  const known = tried.get(kind) ?? tryOut(kind);
  tried.set(kind, known);
  return known;
}

function tryOut(kind: MountKind): Need<RealMount> {
  const needs = [findRoot(), ...['unshare', 'setpriv', ...PROGRAMS[kind]].map(findTool)];
  for (const need of needs) if ('missing' in need) return need;
  const server = SFTP_SERVERS.find((file) => fs.existsSync(file));
  if (kind === 'sshfs' && server === undefined) return { missing: 'there is no sftp-server' };
  const before = () => ['env', `SFTP_SERVER=${server ?? ''}`, 'bash', supportFile('mount.sh'), kind, tempFolder()];
  const mount = { kind, before };
  const { status, err } = inMount(mount, ['true']);
  if (status === 0) return { found: mount };
  return { missing: `a mount of the kind ${kind} cannot be made here: ${err.trim()}` };
}

/** Runs a command with a new mount and waits for its end. A shell sees "$MOUNT" and "$BACKING". */
export function inMount(
  mount: RealMount,
  command: readonly string[],
  options: { input?: string; env?: NodeJS.ProcessEnv } = {},
): RanThere {
  const [file, ...parameters] = [...mount.before(), ...command] as [string, ...string[]];
  const { status, stdout, stderr } = spawnSync(file, parameters, {
    encoding: 'utf8',
    input: options.input ?? '',
    env: { ...process.env, ...options.env },
  });
  if (status === NOT_MOUNTED) throw new Error(`a mount of the kind ${mount.kind} could not be made: ${stderr}`);
  return { status, out: stdout, err: stderr };
}

/** As inMount, with a line of shell. */
export function shellInMount(
  mount: RealMount,
  line: string,
  options: { input?: string; env?: NodeJS.ProcessEnv } = {},
): RanThere {
  return inMount(mount, ['bash', '-c', line], options);
}
