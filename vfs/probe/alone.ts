// What one process can try by itself: that the folder does what SQLite asks of any folder.

import { RANGE } from '../host.ts';
import { isConflict } from '../locks/byte-ranges.ts';
import { RESERVED_BYTE } from '../locks/lock-bytes.ts';
import type { Alone, Check } from './evidence.ts';
import type { Ground } from './ground.ts';
import { aloneName } from './names.ts';
import { removeFolder } from './removal.ts';
import type { Steps } from './steps.ts';
import { createFile, failure, openFile } from './trial.ts';

const WORKS: Check = { outcome: 'works' };
const PAGE = 4096;
/** Pages that are skipped by the write that makes a file long. */
const HOLE = 15;

export function* tryAlone(ground: Ground, meeting: string, id: string): Steps<Alone> {
  const folder = ground.path(aloneName(meeting, id));
  const made = ground.host.makeDirectory(folder, 0o700);
  if (made < 0) throw ground.failed('Making a folder', made);
  try {
    const checks = new Checks(ground, folder);
    const status = ground.host.fileSystem(folder);
    return {
      exclusiveCreate: checks.exclusiveCreate(),
      grow: checks.grow(),
      truncate: checks.truncate(),
      syncFile: checks.syncFile(),
      syncDirectory: checks.syncDirectory(),
      renameOver: checks.renameOver(),
      unlinkOpen: checks.unlinkOpen(),
      lock: checks.lock(),
      map: checks.map(),
      freeBytes: typeof status === 'number' ? null : status.freeBytes,
    };
  } finally {
    const left = yield* removeFolder(ground, folder);
    if (left < 0) ground.host.warn(`The folder ${folder} could not be removed: ${ground.errnos.meaning(-left)}`);
  }
}

class Checks {
  readonly #ground: Ground;
  readonly #folder: string;

  constructor(ground: Ground, folder: string) {
    this.#ground = ground;
    this.#folder = folder;
  }

  exclusiveCreate(): Check {
    const path = this.#path('exclusive');
    return this.#withFile(path, () => {
      const again = createFile(this.#ground.host, path);
      if (again >= 0) {
        this.#ground.host.close(again);
        return { outcome: 'fails', why: 'a file that exists was created once more' };
      }
      return this.#ground.is(again, 'EEXIST') ? WORKS : failure(this.#ground, 'open', again);
    });
  }

  /** Grows by a write far behind the end: the skipped part reads as zeros. */
  grow(): Check {
    return this.#withFile(this.#path('grown'), (fd) => {
      const { host } = this.#ground;
      const written = host.write(fd, new Uint8Array(PAGE).fill(7), 0, PAGE, HOLE * PAGE);
      if (written < 0) return failure(this.#ground, 'write', written);
      const bytes = new Uint8Array((HOLE + 1) * PAGE).fill(1);
      const got = host.read(fd, bytes, 0, bytes.length, 0);
      if (got < 0) return failure(this.#ground, 'read', got);
      const right = got === bytes.length && bytes.every((byte, at) => byte === (at < HOLE * PAGE ? 0 : 7));
      return right ? WORKS : { outcome: 'fails', why: 'what was read is not what was written' };
    });
  }

  truncate(): Check {
    return this.#withFile(this.#path('cut'), (fd) => {
      const { host } = this.#ground;
      const written = host.write(fd, new Uint8Array(2 * PAGE), 0, 2 * PAGE, 0);
      if (written < 0) return failure(this.#ground, 'write', written);
      const cut = host.truncate(fd, PAGE);
      if (cut < 0) return failure(this.#ground, 'truncate', cut);
      return host.size(fd) === PAGE ? WORKS : { outcome: 'fails', why: 'a file kept its length' };
    });
  }

  syncFile(): Check {
    return this.#withFile(this.#path('synced'), (fd) => {
      const { host } = this.#ground;
      const written = host.write(fd, new Uint8Array(PAGE), 0, PAGE, 0);
      if (written < 0) return failure(this.#ground, 'write', written);
      const synced = host.sync(fd);
      return synced < 0 ? failure(this.#ground, 'fdatasync', synced) : WORKS;
    });
  }

  /** A file system that has no such call (EINVAL) passes: SQLite lets it pass too. */
  syncDirectory(): Check {
    const synced = this.#ground.host.syncDirectory(this.#folder);
    return synced < 0 ? failure(this.#ground, 'fsync', synced) : WORKS;
  }

  /** Both closed, as a finished backup is put in place. */
  renameOver(): Check {
    const { host } = this.#ground;
    const [from, to] = [this.#path('renamed'), this.#path('replaced')];
    for (const [path, bytes] of [
      [from, 1],
      [to, 2],
    ] as const) {
      const made = this.#withFile(path, (fd) => {
        const written = host.write(fd, new Uint8Array(bytes), 0, bytes, 0);
        return written < 0 ? failure(this.#ground, 'write', written) : WORKS;
      });
      if (made.outcome !== 'works') return made;
    }
    const renamed = host.rename(from, to);
    if (renamed < 0) return failure(this.#ground, 'rename', renamed);
    if (host.sizeAt(to) !== 1) return { outcome: 'fails', why: 'the old file is still there after a rename over it' };
    return this.#ground.is(host.sizeAt(from), 'ENOENT') ? WORKS : { outcome: 'fails', why: 'a renamed file kept its old name' };
  }

  unlinkOpen(): Check {
    const { host } = this.#ground;
    const path = this.#path('unlinked');
    return this.#withFile(path, (fd) => {
      const written = host.write(fd, new Uint8Array([1, 2, 3]), 0, 3, 0);
      if (written < 0) return failure(this.#ground, 'write', written);
      const unlinked = host.unlink(path);
      if (unlinked < 0) return failure(this.#ground, 'unlink', unlinked);
      if (!this.#ground.is(host.sizeAt(path), 'ENOENT')) return { outcome: 'fails', why: 'an unlinked name is still there' };
      const bytes = new Uint8Array(3);
      const got = host.read(fd, bytes, 0, 3, 0);
      if (got < 0) return failure(this.#ground, 'read', got);
      return got === 3 && bytes[2] === 3
        ? WORKS
        : { outcome: 'fails', why: 'an open file lost its content when it was unlinked' };
    });
  }

  /** Two descriptors exclude each other: the locks belong to the open file, and not to the process. */
  lock(): Check {
    const { host, errnos } = this.#ground;
    const path = this.#path('locked');
    return this.#withFile(path, (fd) => {
      const locked = host.lock(fd, RANGE.WRITE, RESERVED_BYTE, 1);
      if (locked < 0) return failure(this.#ground, 'lock', locked);
      const other = openFile(host, path);
      if (other < 0) return failure(this.#ground, 'open', other);
      const again = host.lock(other, RANGE.WRITE, RESERVED_BYTE, 1);
      host.close(other);
      if (again >= 0) return { outcome: 'fails', why: 'one lock was granted twice' };
      return isConflict(again, errnos) ? WORKS : failure(this.#ground, 'lock', again);
    });
  }

  map(): Check {
    return this.#withFile(this.#path('mapped'), (fd) => {
      const { host } = this.#ground;
      const written = host.write(fd, new Uint8Array(host.pageSize), 0, host.pageSize, 0);
      if (written < 0) return failure(this.#ground, 'write', written);
      const mapped = host.canMap ? host.probeMap(fd) : -this.#ground.errnos.number('ENOSYS');
      return mapped < 0 ? failure(this.#ground, 'mmap', mapped) : WORKS;
    });
  }

  #path(name: string): string {
    return `${this.#folder}/file.${name}`;
  }

  #withFile(path: string, use: (fd: number) => Check): Check {
    const fd = createFile(this.#ground.host, path);
    if (fd < 0) return failure(this.#ground, 'open', fd);
    try {
      return use(fd);
    } finally {
      this.#ground.host.close(fd);
    }
  }
}
