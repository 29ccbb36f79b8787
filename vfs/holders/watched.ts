// What a scan looks for: the files of the asked databases, by identity, by inode number, by path and by name.

import { Errnos } from '../errno.ts';
import type { FileStatus, Host } from '../host.ts';
import { resolvePath } from '../paths.ts';
import type { DatabasePart } from './holder.ts';
import { deviceOfStat, Superblocks } from './superblock.ts';

export const PARTS: readonly (readonly [part: DatabasePart, suffix: string])[] = [
  ['main', ''],
  ['wal', '-wal'],
  ['shm', '-shm'],
  ['journal', '-journal'],
];

/** One file of one database. */
export interface WatchedPart {
  /** The path of the database, as it was asked for. */
  readonly database: string;
  readonly part: DatabasePart;
  /** Without symbolic links. */
  readonly path: string;
  /** What is there now; undefined if nothing is. */
  readonly status: FileStatus | undefined;
  /** The superblock that it lies on, or would lie on. */
  readonly superblock: string | undefined;
  /** How lock lines may call this file. */
  readonly lockFiles: ReadonlySet<string>;
}

export class Watched {
  readonly parts: WatchedPart[] = [];
  /** By database: why its files could not be looked at. */
  readonly limits = new Map<string, string[]>();
  readonly inodes = new Set<string>();
  readonly #byIdentity = new Map<string, WatchedPart[]>();
  readonly #byName = new Map<string, WatchedPart[]>();

  constructor(host: Host, databases: readonly string[]) {
    const errnos = new Errnos(host.platform);
    const superblocks = new Superblocks(host.readText('/proc/self/mountinfo') ?? '');
    for (const database of new Set(databases)) {
      const limits: string[] = [];
      this.limits.set(database, limits);
      // By the real path: sidecars lie beside the file that a link leads to, and the kernel knows only that one.
      const main = resolvePath(host, errnos, database);
      if (typeof main === 'number') {
        if (!isAbsent(main, errnos)) limits.push(unseen(database, main, errnos));
        continue;
      }
      for (const [part, suffix] of PARTS) {
        const path = main + suffix;
        // Each by itself: a main file that is a mount of its own has its sidecars on another file system.
        const superblock = superblocks.at(path);
        const status = host.status(path);
        if (typeof status !== 'number')
          this.#add({ database, part, path, status, superblock, lockFiles: lockFiles(status, superblock) });
        else if (isAbsent(status, errnos))
          this.#add({ database, part, path, status: undefined, superblock, lockFiles: new Set() });
        else limits.push(unseen(path, status, errnos));
      }
    }
  }

  /** Whether each path still leads to the file that it led to. */
  isUnchanged(host: Host): boolean {
    return this.parts.every(({ path, status }) => {
      const now = host.status(path);
      if (typeof now === 'number' || status === undefined) return typeof now === 'number' && status === undefined;
      return identityOf(now) === identityOf(status);
    });
  }

  /** The parts that are this very file. */
  withIdentity(status: FileStatus): readonly WatchedPart[] {
    return this.#byIdentity.get(identityOf(status)) ?? [];
  }

  /** The parts whose last path component is that of `path`. */
  withNameOf(path: string): readonly WatchedPart[] {
    return this.#byName.get(nameOf(path)) ?? [];
  }

  #add(part: WatchedPart): void {
    this.parts.push(part);
    append(this.#byName, nameOf(part.path), part);
    if (part.status === undefined) return;
    this.inodes.add(part.status.ino);
    append(this.#byIdentity, identityOf(part.status), part);
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function identityOf(status: FileStatus): string {
  return `${status.dev}:${status.ino}`;
}

function lockFiles(status: FileStatus, superblock: string | undefined): Set<string> {
  const devices = superblock === undefined ? [deviceOfStat(status.dev)] : [superblock, deviceOfStat(status.dev)];
  return new Set(devices.map((device) => `${device}:${status.ino}`));
}

function isAbsent(result: number, errnos: Errnos): boolean {
  return result === -errnos.number('ENOENT') || result === -errnos.number('ENOTDIR');
}

function unseen(path: string, result: number, errnos: Errnos): string {
  return `${path} could not be looked at (${errnos.name(-result)}: ${errnos.meaning(-result)}), so who has it open is not known`;
}

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
