// A host through which nothing can be changed: real files are only read, locks are granted without being taken, and what SQLite
// must be able to write (a wal-index, a temporary file) lies in files without a name.
//
// For looking through SQLite's eyes at databases that nobody has open. Whoever joins meanwhile is not excluded, nor does he notice.

import { Errnos } from '../../vfs/errno.ts';
import type { HeldLock, Host, MappableMemory, OpenMode } from '../../vfs/host.ts';
import { directoryOf } from '../../vfs/paths.ts';
import { ReadingHost } from './reading-host.ts';

/** Memory can always be mapped from a tmpfs; other folders are asked when there is none. */
const FIRST_CHOICE = '/dev/shm';
const PRIVATE_MODE = 0o600;
const NAME_BYTES = 12;

export class FrozenHost extends ReadingHost implements Host {
  readonly #host: Host;
  readonly #refusal: number;
  readonly #missing: number;
  readonly #noFile: number;
  /** Descriptors of files without a name, which alone may be written. */
  readonly #private = new Set<number>();
  /** Names under which such a file was asked for. There may be a real file of that name, which stays. */
  readonly #pretended = new Set<string>();

  constructor(host: Host) {
    super(host);
    this.#host = host;
    const errnos = new Errnos(host.platform);
    this.#refusal = -errnos.number('EROFS');
    this.#missing = -errnos.number('ENOENT');
    this.#noFile = -errnos.number('ESPIPE');
  }

  // --- what is pretended

  open(path: string, mode: OpenMode): number {
    if (!mode.write && !mode.create) return this.#openReal(path, mode);
    // The wal-index of the living is none of ours, and one of the dead has to be rebuilt: both get one of their own.
    const pretends = mode.create && (mode.exclusive || path.endsWith('-shm') || this.#isMissingLog(path));
    return pretends ? this.#openPrivate(path) : this.#refusal;
  }

  close(fd: number): number {
    this.#private.delete(fd);
    return this.#host.close(fd);
  }

  write(fd: number, from: Uint8Array, at: number, length: number, position: number): number {
    return this.#private.has(fd) ? this.#host.write(fd, from, at, length, position) : this.#refusal;
  }

  truncate(fd: number, size: number): number {
    return this.#private.has(fd) ? this.#host.truncate(fd, size) : this.#refusal;
  }

  map(fd: number, offset: number, length: number, memory: MappableMemory, at: number, writable: boolean): number {
    if (!this.#private.has(fd)) return this.#refusal;
    return this.#host.map(fd, offset, length, memory, at, writable);
  }

  /** Only private files are mapped. */
  probeMap(): number {
    return 0;
  }

  unlink(path: string): number {
    return this.#pretended.has(path) ? 0 : this.#refusal;
  }

  sync(): number {
    return 0;
  }

  syncDirectory(): number {
    return 0;
  }

  lock(): number {
    return 0;
  }

  heldBy(): HeldLock | undefined {
    return undefined;
  }

  /** Nothing is said about what was not done. */
  firstTime(): boolean {
    return false;
  }

  // --- what is refused

  access(path: string, need: 'read' | 'write'): number {
    return need === 'write' ? this.#refusal : this.#host.access(path, need);
  }

  rename(): number {
    return this.#refusal;
  }

  makeDirectory(): number {
    return this.#refusal;
  }

  removeDirectory(): number {
    return this.#refusal;
  }

  changeMode(): number {
    return this.#refusal;
  }

  changeModeAt(): number {
    return this.#refusal;
  }

  changeOwner(): number {
    return this.#refusal;
  }

  touch(): number {
    return this.#refusal;
  }

  /** Opening a FIFO for reading would wait for ever. */
  #openReal(path: string, mode: OpenMode): number {
    const status = this.#host.status(path);
    const waits = typeof status !== 'number' && status.type === 'other' && path !== '/dev/null';
    return waits ? this.#noFile : this.#host.open(path, mode);
  }

  /** In WAL mode SQLite makes the log that is not there, even to read. */
  #isMissingLog(path: string): boolean {
    return path.endsWith('-wal') && this.#host.status(path) === this.#missing;
  }

  /** A new file that has no name any more, and lies in another folder than what is looked at. */
  #openPrivate(path: string): number {
    const folder = directoryOf(path);
    const suffix = new Uint8Array(NAME_BYTES);
    this.#host.random(suffix);
    const name = `holdfast-${Array.from(suffix, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
    let failure = this.#refusal;
    for (const directory of [FIRST_CHOICE, ...this.#host.temporaryDirectories()]) {
      const real = this.#host.realPath(directory);
      if (typeof real === 'number' || real === folder) continue;
      const file = `${real}/${name}`;
      const fd = this.#host.open(file, { write: true, create: true, exclusive: true, noFollow: true, mode: PRIVATE_MODE });
      if (fd >= 0) {
        this.#host.unlink(file);
        this.#private.add(fd);
        this.#pretended.add(path);
        return fd;
      }
      failure = fd;
    }
    return failure;
  }
}
