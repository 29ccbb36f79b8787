// The class of the ground under a path, from the mount table; where there is none, from statfs.

import type { Classification, MountClass } from './classification.ts';
import { fuseBehind } from './fuse.ts';
import { beneath } from './layers.ts';
import { type GroundHost, locate, type Place } from './locate.ts';
import { type Mount, mountOf, parseMountInfo } from './mountinfo.ts';
import { isGvisor, isWindowsDrive, localLockOption } from './options.ts';
import { unsafeType } from './statfs.ts';
import { type FileSystemType, fileSystemType, fuseType } from './types.ts';
import { CONSEQUENCE, REMEDY, shown } from './wording.ts';

export const MOUNT_TABLE = '/proc/self/mountinfo';
/** Linux itself stacks no more than two file systems (FILESYSTEM_MAX_STACK_DEPTH); a bind can lie between. */
const MAX_LAYERS = 4;

/** What is asked of the file system itself. In a test, and for somebody else's table, the answers are given. */
export interface Look {
  /** Undefined for what does not exist. */
  realPath(path: string): string | undefined;
  isFile(path: string): boolean;
  /** The magic number of statfs(2), if it can be had. */
  magic(path: string): number | undefined;
}

interface Verdict {
  class: MountClass;
  reason: string;
  remedy?: string | undefined;
}

/**
 * The ground under `path`, which need not exist yet: then its nearest existing folder counts. Never throws; what cannot be
 * found out is `unknown`. Reads the mount table at each call, since mounts change.
 */
export function classify(host: GroundHost, path: string): Classification {
  const place = locate(host, path);
  if (host.platform !== 'linux') return withoutMount(place, NOT_LINUX);
  const table = host.readText(MOUNT_TABLE);
  return classifyIn(table === undefined ? undefined : parseMountInfo(table), place, lookThrough(host));
}

/** The same for a given mount table; undefined if it could not be read. */
export function classifyIn(mounts: readonly Mount[] | undefined, place: Place, look: Look): Classification {
  const { path, named, resolved } = place;
  const mount = mounts && mountOf(mounts, resolved);
  if (!mounts || !mount) return withoutMount(place, bySecondWitness(place, look, mounts !== undefined));
  const verdict = judge(mount, mounts, look);
  const fileIsMountPoint = mount.mountPoint === resolved && look.isFile(resolved);
  const reasons = [verdict.reason];
  if (mount.root.endsWith('//deleted')) reasons.push(`what was mounted there (${mount.root}) seems to have been removed since`);
  if (fileIsMountPoint) reasons.push('the file itself is a mount point, so its -wal, -shm and -journal lie on another mount');
  const link = named === resolved ? undefined : mountOf(mounts, named);
  if (link && link !== mount && judge(link, mounts, look).class !== 'native')
    reasons.push(`the link that leads there is on ${link.mountPoint} (${link.fsType}), but only the place itself counts`);
  return {
    path,
    resolved,
    mountPoint: mount.mountPoint,
    fsType: mount.fsType,
    source: mount.source,
    options: mount.options,
    class: verdict.class,
    walSafe: verdict.class === 'native' && !fileIsMountPoint,
    fileIsMountPoint,
    reason: reasons.join('; '),
    remedy: fileIsMountPoint ? REMEDY.file(verdict.remedy) : verdict.remedy,
  };
}

function judge(mount: Mount, mounts: readonly Mount[], look: Look, depth = 0): Verdict {
  const type = mount.fsType.toLowerCase();
  const where = shown(mount);
  const layer = beneath(type, mount, mounts, look.realPath);
  if (layer) {
    if ('native' in layer) return { class: 'native', reason: `${where}, layers of folders: ${layer.native}` };
    const on = `${where}, which keeps its files in ${layer.folder}`;
    if (!layer.mount || depth === MAX_LAYERS)
      return { class: 'unknown', reason: `${on}, and what that stands on could not be found`, remedy: REMEDY.unknown };
    const { reason, ...same } = judge(layer.mount, mounts, look, depth + 1);
    return { ...same, reason: `${on}; ${reason}` };
  }
  if (isGvisor(type, mount)) return inGvisor(mount);
  const known = fuseBehind(type, mount) ?? fileSystemType(type);
  if (!known)
    return { class: 'unknown', reason: `${where}, a type that we do not know: ${CONSEQUENCE.unknown}`, remedy: REMEDY.unknown };
  const local = localLockOption(type, mount);
  if (local !== undefined)
    return {
      class: known.class,
      reason: `${where}, ${known.what}: it is mounted with ${local}, so that its locks exclude nobody on other machines, in no journal mode`,
      remedy: REMEDY.localLocks(local),
    };
  const what = isWindowsDrive(mount) ? 'a Windows drive in WSL' : known.what;
  return verdictOf(known, `${where}, ${what}`);
}

function verdictOf(known: FileSystemType, subject: string): Verdict {
  const why = known.why === undefined ? '' : `; ${known.why}`;
  return { class: known.class, reason: `${subject}: ${CONSEQUENCE[known.class]}${why}`, remedy: REMEDY[known.class] };
}

/** Its root is the sandbox's own. Of a volume nobody inside can tell who else uses it. */
function inGvisor(mount: Mount): Verdict {
  const where = shown(mount);
  if (mount.mountPoint === '/')
    return { class: 'native', reason: `${where}, the root of a gVisor sandbox, which nobody outside of the sandbox writes to` };
  return {
    class: 'cross-vm',
    reason: `${where}, a volume of a gVisor sandbox: its locks and shared memory end at the sandbox, and who uses it outside cannot be seen`,
    remedy: REMEDY.gvisor,
  };
}

const NOT_LINUX: Verdict = {
  class: 'unknown',
  reason: 'file systems can be told apart on Linux only, so that nothing is known of this one',
  remedy: REMEDY.unknown,
};

function bySecondWitness({ resolved }: Place, look: Look, hasTable: boolean): Verdict {
  const problem = hasTable
    ? `the mount table (${MOUNT_TABLE}) has no line for it`
    : `the mount table (${MOUNT_TABLE}) cannot be read`;
  const magic = look.magic(resolved);
  if (magic === undefined)
    return { class: 'unknown', reason: `${problem}, and neither does statfs say what it stands on`, remedy: REMEDY.unknown };
  const hex = `0x${(magic >>> 0).toString(16)}`;
  const name = unsafeType(magic);
  if (name === undefined) {
    const reason = `${problem}; statfs shows ${hex}, which proves nothing, because a share of another machine can show the same`;
    return { class: 'unknown', reason, remedy: REMEDY.unknown };
  }
  const known = name === 'fuse' ? FUSE_OR_VIRTIOFS : (fuseType(name) as FileSystemType);
  return verdictOf(known, `${problem}; statfs shows ${hex}, ${name === 'fuse' ? '' : `${name}, `}${known.what}`);
}

const FUSE_OR_VIRTIOFS: FileSystemType = { class: 'fuse', what: 'FUSE or virtiofs' };

function withoutMount({ path, resolved }: Place, verdict: Verdict): Classification {
  return {
    path,
    resolved,
    mountPoint: undefined,
    fsType: undefined,
    source: undefined,
    options: undefined,
    class: verdict.class,
    walSafe: false,
    fileIsMountPoint: false,
    reason: verdict.reason,
    remedy: verdict.remedy,
  };
}

function lookThrough(host: GroundHost): Look {
  return {
    realPath: (path) => {
      const real = host.realPath(path);
      return typeof real === 'string' ? real : undefined;
    },
    isFile: (path) => {
      const status = host.status(path);
      return typeof status !== 'number' && status.type === 'file';
    },
    magic: (path) => nearestMagic(host, path),
  };
}

function nearestMagic(host: GroundHost, path: string): number | undefined {
  for (let at = path; ; at = at.slice(0, at.lastIndexOf('/'))) {
    const status = host.fileSystem(at === '' ? '/' : at);
    if (typeof status !== 'number') return status.type;
    if (!at.includes('/')) return undefined;
  }
}
