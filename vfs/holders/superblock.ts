// Which file system of the kernel (superblock) a mount shows, by the device number that lock lines carry.
//
// On btrfs and overlay st_dev is another number for each subvolume or layer; the third field of mountinfo is the
// superblock's, and so is the device in a lock line (show_mountinfo() and lock_get_status() in the kernel).

import { type Mount, mountOf, parseMountInfo } from '../mount/mountinfo.ts';

/** A mount table, asked for superblocks in the form of lock lines: `fe:00`. */
export class Superblocks {
  readonly #mounts: Mount[] = [];
  readonly #devices = new Map<Mount, string>();

  /** `mountInfo`: the text of a mountinfo file. */
  constructor(mountInfo: string) {
    for (const line of mountInfo.split('\n')) {
      const [mount] = parseMountInfo(line);
      const [, major, minor] = /^\d+ \d+ (\d+):(\d+) /.exec(line) ?? [];
      if (mount === undefined || major === undefined || minor === undefined) continue;
      this.#mounts.push(mount);
      this.#devices.set(mount, deviceText(Number(major), Number(minor)));
    }
  }

  /** Of the file system that the path (absolute, resolved) stands on. */
  at(path: string): string | undefined {
    return this.#deviceOf(mountOf(this.#mounts, path));
  }

  /** Of the mount with this number. */
  of(mountId: string): string | undefined {
    return this.#deviceOf(this.#mounts.find((mount) => mount.id === mountId));
  }

  #deviceOf(mount: Mount | undefined): string | undefined {
    return mount === undefined ? undefined : this.#devices.get(mount);
  }
}

/** From st_dev (decimal) to `fe:00`. The bits are those of gnu_dev_major() and gnu_dev_minor(), see makedev(3). */
export function deviceOfStat(dev: string): string {
  const bits = BigInt(dev);
  const major = ((bits >> 8n) & 0xfffn) | ((bits >> 32n) & 0xfffff000n);
  const minor = (bits & 0xffn) | ((bits >> 12n) & 0xffffff00n);
  return deviceText(Number(major), Number(minor));
}

function deviceText(major: number, minor: number): string {
  return `${major.toString(16).padStart(2, '0')}:${minor.toString(16).padStart(2, '0')}`;
}
