// The open files of one process: which of them are, or were, the files that we look for.
//
// A link below /proc/PID/fd is text and can lie: it names the path of another mount, or says " (deleted)" of a live file
// (OpenZFS). So a file is known by device and inode. They are asked for only where the inode number fits, since a stat of
// a file on a dead network mount would hang: fdinfo tells the number without touching the file. Nothing is ever opened.

import { Errnos } from '../errno.ts';
import type { Host } from '../host.ts';
import { directoryOf } from '../paths.ts';
import { type DescriptorInfo, parseDescriptorInfo } from './proc-locks.ts';
import { Superblocks } from './superblock.ts';
import type { Watched, WatchedPart } from './watched.ts';

/** A descriptor that leads, or led, to a part of a database. */
export interface Match {
  readonly pid: number;
  readonly fd: string;
  readonly part: WatchedPart;
  /** It was at this path, and another file, or none, is there now. */
  readonly lost: boolean;
}

const DELETED = ' (deleted)';

export class DescriptorScanner {
  readonly #host: Host;
  readonly #errnos: Errnos;
  readonly #watched: Watched;
  readonly #mountNamespace: string | number;

  constructor(host: Host, watched: Watched) {
    this.#host = host;
    this.#errnos = new Errnos(host.platform);
    this.#watched = watched;
    this.#mountNamespace = host.readLink('/proc/self/ns/mnt');
  }

  /** Looks through one process. A process that went meanwhile has nothing open. */
  scan(pid: number): Match[] | 'denied' {
    const folder = `/proc/${pid}/fd`;
    const names = this.#host.list(folder);
    if (typeof names === 'number') return this.#isDenied(names) ? 'denied' : [];
    const matches: Match[] = [];
    for (const fd of names) {
      const target = this.#host.readLink(`${folder}/${fd}`);
      if (typeof target === 'number') {
        if (this.#isDenied(target)) return 'denied';
      } else if (mayBeDatabase(target)) this.#look(pid, fd, target, matches);
    }
    return matches;
  }

  #look(pid: number, fd: string, target: string, matches: Match[]): void {
    const path = target.endsWith(DELETED) ? target.slice(0, -DELETED.length) : target;
    const text = this.#host.readText(`/proc/${pid}/fdinfo/${fd}`);
    const info: DescriptorInfo | undefined = text === undefined ? undefined : parseDescriptorInfo(text);
    // A file whose own name ends in " (deleted)" is looked for under both.
    const namesakes = [...new Set([path, target])].flatMap((name) =>
      this.#watched.withNameOf(name).filter((part) => this.#wasThere(pid, name, part, info)),
    );
    // Before Linux 5.14 there is no inode number, and the file itself has to be asked.
    if (namesakes.length === 0 && info?.ino !== undefined && !this.#watched.inodes.has(info.ino)) return;
    const status = this.#host.status(`/proc/${pid}/fd/${fd}`);
    if (typeof status === 'number' || status.type !== 'file') return;
    const present = this.#watched.withIdentity(status);
    for (const part of present) matches.push({ pid, fd, part, lost: false });
    // Whatever is at one of the paths is not lost, though it may have the name of another.
    if (present.length === 0) for (const part of namesakes) matches.push({ pid, fd, part, lost: true });
  }

  /**
   * Looks once more, when all processes were looked through. A journal that was made or deleted meanwhile seems lost for a
   * moment; and the inode of a sidecar that was deleted may be another file by now, of somebody who has nothing to do with it.
   * undefined if the descriptor is closed, or leads elsewhere.
   */
  confirm(match: Match): Match | undefined {
    const atPath = this.#host.status(match.part.path);
    const open = this.#host.status(`/proc/${match.pid}/fd/${match.fd}`);
    if (typeof open === 'number' || open.type !== 'file') return undefined;
    const isThere = typeof atPath !== 'number' && atPath.dev === open.dev && atPath.ino === open.ino;
    if (!isThere && !match.lost) return undefined;
    return { ...match, lost: !isThere };
  }

  /** Whether `path`, as this process knows it, is the path of this part. */
  #wasThere(pid: number, path: string, part: WatchedPart, info: DescriptorInfo | undefined): boolean {
    if (path === part.path && this.#host.readLink(`/proc/${pid}/ns/mnt`) === this.#mountNamespace) return true;
    // Through another mount: it must show the file system of this part, which also makes sure that asking cannot hang.
    const mountInfo = info?.mountId === undefined ? undefined : this.#host.readText(`/proc/${pid}/mountinfo`);
    if (mountInfo === undefined || info?.mountId === undefined || part.superblock === undefined) return false;
    if (new Superblocks(mountInfo).of(info.mountId) !== part.superblock) return false;
    const here = this.#host.status(directoryOf(part.path));
    const there = this.#host.status(`/proc/${pid}/root${directoryOf(path)}`);
    return typeof here !== 'number' && typeof there !== 'number' && here.dev === there.dev && here.ino === there.ino;
  }

  #isDenied(result: number): boolean {
    return result === -this.#errnos.number('EACCES') || result === -this.#errnos.number('EPERM');
  }
}

/** False for sockets, pipes and the like, which have no path, and for devices and the kernel's own files. */
function mayBeDatabase(target: string): boolean {
  return target.startsWith('/') && !/^\/(?:dev(?!\/shm\/)|proc|sys)\//.test(target) && !target.startsWith('/memfd:');
}
