// The VFS over a Host: which file a name opens, how, with which mode and owner; deleting, looking, resolving.

import * as code from './codes.ts';
import { ACCESS, OPEN } from './codes.ts';
import { DatabaseFile } from './database-file.ts';
import { Errnos } from './errno.ts';
import { type Fault, FaultLog, type LockConflict, type Waiter } from './fault.ts';
import type { FileStatus, Host } from './host.ts';
import { inheritAccess } from './inherit.ts';
import { holdsFrames, journalOnDisk } from './journal/on-disk.ts';
import { mayShareWalIndex, orphanWal, type Refusal } from './journal/policy.ts';
import { ByteRangeLadder } from './locks/byte-ranges.ts';
import { DotFileLadder } from './locks/dot-file.ts';
import { trusted } from './mount/classification.ts';
import { classify } from './mount/classify.ts';
import { directoryOf, resolvePath } from './paths.ts';
import { PlainFile } from './plain-file.ts';
import { MappedWalIndex } from './shm/wal-index.ts';
import type { Answer, OpenedFile, Vfs } from './vfs.ts';

/** How database files are locked: open file description locks, or SQLite's unix-dotfile folder. */
export type Locking = 'kernel' | 'dotfile';

/** Linux's PATH_MAX, which counts the final NUL (limits.h). */
const MAX_PATHNAME = 4096;
/** Permission bits of a new database before the umask, as native SQLite has them. */
const DATABASE_MODE = 0o644;
const TEMPORARY_MODE = 0o600;
const SIDECAR = OPEN.MAIN_JOURNAL | OPEN.WAL;
/** Descriptors that stray library code prints to: a database must never be one of them. */
const FIRST_SAFE_DESCRIPTOR = 3;

export class FileVfs implements Vfs {
  readonly name: string;
  readonly maxPathname = MAX_PATHNAME;
  readonly host: Host;
  readonly errnos: Errnos;
  readonly locking: Locking;
  readonly #log = new FaultLog();

  constructor(name: string, host: Host, locking: Locking) {
    this.name = name;
    this.host = host;
    this.errnos = new Errnos(host.platform);
    this.locking = locking;
  }

  /** The caller vouches for the mounts of the databases that are opened now. */
  trustMount = false;
  /** The main database file that was opened last, by a connection or by ATTACH. */
  lastDatabase: DatabaseFile | undefined;

  get lastFault(): Fault | undefined {
    return this.#log.fault;
  }

  get lastConflict(): LockConflict | undefined {
    return this.#log.conflict;
  }

  /** A call into SQLite begins: what went wrong before is not its fault, and `waiter` is who waits in it. */
  begin(waiter: Waiter | undefined): void {
    this.#log.waiter = waiter;
    this.#log.fault = undefined;
    this.#log.conflict = undefined;
  }

  noteException(error: unknown, result: number): void {
    const doing = `a defect in Holdfast: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
    this.#log.fault = { code: result, call: '', path: this.lastDatabase?.path ?? '', errno: 0, doing };
  }

  open(name: string | undefined, flags: number): Answer<OpenedFile | undefined> {
    if (name === undefined) return this.#openTemporary(flags);
    if (flags & OPEN.MAIN_DB) return this.#openDatabase(name, flags);
    return this.#openSidecar(name, flags);
  }

  delete(name: string, syncDirectory: boolean): number {
    const removed = this.host.unlink(name);
    if (removed === -this.errnos.number('ENOENT')) return code.IOERR_DELETE_NOENT;
    if (removed < 0) return this.#log.fail(code.IOERR_DELETE, 'unlink', name, removed, 'deleting it');
    if (!syncDirectory) return code.OK;
    const directory = directoryOf(name);
    const synced = this.host.syncDirectory(directory);
    return synced < 0 ? this.#log.fail(code.IOERR_FSYNC, 'fsync', directory, synced, 'syncing the directory') : code.OK;
  }

  access(name: string, kind: number): number {
    if (kind !== ACCESS.EXISTS) return this.host.access(name, kind === ACCESS.READWRITE ? 'write' : 'read') < 0 ? 0 : 1;
    // An empty file counts as absent: a journal of no bytes is not hot.
    const size = this.host.sizeAt(name);
    if (size >= 0) return size > 0 ? 1 : 0;
    if (this.#meansAbsent(size)) return 0;
    // "Could not see" is not "is not there": a hot journal overlooked is a corrupt database.
    return -this.#log.fail(code.IOERR_ACCESS, 'stat', name, size, 'looking for it');
  }

  fullPathname(name: string): Answer<string> {
    const path = resolvePath(this.host, this.errnos, name);
    if (typeof path === 'string') return { code: code.OK, value: path };
    return { code: this.#log.fail(code.CANTOPEN_FULLPATH, 'realpath', name, path, 'resolving the path'), value: '' };
  }

  random(bytes: Uint8Array): void {
    this.host.random(bytes);
  }

  sleep(microseconds: number): void {
    (this.#log.waiter ?? this.host).sleep(microseconds / 1000);
  }

  now(): number {
    return this.host.now();
  }

  #openDatabase(path: string, flags: number): Answer<OpenedFile | undefined> {
    // Looked at before it is opened: opening a FIFO for reading would wait for ever.
    const before = this.host.status(path);
    if (typeof before !== 'number' && before.type === 'directory')
      return this.#cannotOpen(code.CANTOPEN_ISDIR, 'open', path, -this.errnos.number('EISDIR'), 'opening the database');
    if (typeof before !== 'number' && before.type === 'other')
      return this.#cannotOpen(code.CANTOPEN, 'open', path, -this.errnos.number('ESPIPE'), 'opening the database');
    // Before it is made: nothing is left behind by a refusal.
    const isMissing = () => this.host.status(path) === -this.errnos.number('ENOENT');
    if (typeof before === 'number' && holdsFrames(this.host, path) && isMissing()) return this.#refuse(path, orphanWal(path));
    const opened = this.#openWithFallback(path, flags, DATABASE_MODE, 'opening the database');
    if (opened.code !== code.OK) return { code: opened.code, value: undefined };
    const { fd, flags: outFlags } = opened.value;
    const identity = this.host.statusOf(fd);
    if (typeof identity === 'number') {
      this.host.close(fd);
      return this.#cannotOpen(code.IOERR_FSTAT, 'fstat', path, identity, 'opening the database');
    }
    if (this.locking === 'dotfile') {
      const foreign = this.#walPeer(path);
      if (foreign !== undefined) {
        this.host.close(fd);
        const doing = 'opening with dot-file locks a database whose WAL others may be using';
        return this.#cannotOpen(code.CANTOPEN, 'open', foreign, -this.errnos.number('EBUSY'), doing);
      }
    }
    const file = this.#databaseFile(fd, path, identity);
    if (file.journal === 'orphan-wal') {
      this.host.close(fd);
      return this.#refuse(path, orphanWal(path));
    }
    this.lastDatabase = file;
    this.#log.waiter?.opened?.(file);
    return { code: code.OK, value: { file, flags: outFlags } };
  }

  #databaseFile(fd: number, path: string, identity: FileStatus): DatabaseFile {
    const { host, errnos } = this;
    const log = this.#log;
    const ground = this.trustMount ? trusted(classify(host, path)) : classify(host, path);
    const journal = journalOnDisk(host, errnos, fd, path);
    const known = { fd, path, identity, ground, journal };
    if (this.locking === 'dotfile')
      return new DatabaseFile(host, errnos, log, {
        ...known,
        locks: new DotFileLadder(host, errnos, log, path),
        walIndex: undefined,
      });
    const locks = new ByteRangeLadder(host, errnos, log, fd, path);
    const shared = mayShareWalIndex(journal, ground) && host.canMap && host.probeMap(fd) >= 0;
    const walIndex = shared ? new MappedWalIndex(host, errnos, log, path, fd) : undefined;
    return new DatabaseFile(host, errnos, log, { ...known, locks, walIndex });
  }

  /** A sidecar that says WAL peers were or are here, whom dot-file locks would not exclude. */
  #walPeer(path: string): string | undefined {
    return [`${path}-wal`, `${path}-shm`].find((sidecar) => typeof this.host.status(sidecar) !== 'number');
  }

  #openSidecar(path: string, flags: number): Answer<OpenedFile | undefined> {
    // A journal that is made is not there yet. What is there may be a FIFO, and opening it would wait for ever.
    const isMade = (flags & OPEN.MAIN_JOURNAL) !== 0 && (flags & OPEN.CREATE) !== 0;
    const there = isMade ? -1 : this.host.status(path);
    if (typeof there !== 'number' && there.type === 'other')
      return this.#cannotOpen(code.CANTOPEN, 'open', path, -this.errnos.number('ESPIPE'), 'opening it');
    let mode = flags & OPEN.DELETEONCLOSE ? TEMPORARY_MODE : DATABASE_MODE;
    let owner: FileStatus | undefined;
    if (flags & SIDECAR) {
      const main = this.host.status(path.slice(0, path.lastIndexOf('-')));
      if (typeof main === 'number')
        return this.#cannotOpen(code.IOERR_FSTAT, 'stat', path, main, 'finding the mode of its database');
      mode = main.mode;
      owner = main;
    }
    const opened = this.#openWithFallback(path, flags, mode, 'opening it');
    if (opened.code !== code.OK) return { code: opened.code, value: undefined };
    const { fd, flags: outFlags } = opened.value;
    if (owner && flags & OPEN.CREATE) inheritAccess(this.host, fd, owner);
    if (flags & OPEN.DELETEONCLOSE) this.host.unlink(path);
    const fresh = (flags & OPEN.CREATE) !== 0 && (flags & (OPEN.MAIN_JOURNAL | OPEN.SUPER_JOURNAL | OPEN.WAL)) !== 0;
    const file = new PlainFile(this.host, this.errnos, this.#log, fd, path, fresh);
    return { code: code.OK, value: { file, flags: outFlags } };
  }

  #openTemporary(flags: number): Answer<OpenedFile | undefined> {
    let failure = -this.errnos.number('ENOENT');
    let tried = '';
    const suffix = new Uint8Array(12);
    for (const directory of this.host.temporaryDirectories()) {
      this.host.random(suffix);
      const name = Array.from(suffix, (byte) => byte.toString(16).padStart(2, '0')).join('');
      tried = `${directory}/holdfast-${name}`;
      const how = { write: true, create: true, exclusive: true, noFollow: true, mode: TEMPORARY_MODE };
      const fd = this.#openDescriptor(tried, how);
      if (fd < 0) {
        failure = fd;
        continue;
      }
      // Without a name from the start, so that a kill leaves nothing behind.
      this.host.unlink(tried);
      const file = new PlainFile(this.host, this.errnos, this.#log, fd, tried, false);
      return { code: code.OK, value: { file, flags } };
    }
    return this.#cannotOpen(code.IOERR_GETTEMPPATH, 'open', tried, failure, 'making a temporary file');
  }

  #openWithFallback(path: string, flags: number, mode: number, doing: string): Answer<{ fd: number; flags: number }> {
    const write = (flags & OPEN.READWRITE) !== 0;
    const create = (flags & OPEN.CREATE) !== 0;
    const how = { write, create, exclusive: (flags & OPEN.EXCLUSIVE) !== 0, noFollow: true, mode };
    let fd = this.#openDescriptor(path, how);
    if (fd >= 0) return { code: code.OK, value: { fd, flags } };
    const failure = fd;
    if (write && create && flags & SIDECAR && this.#isDenied(failure) && this.host.sizeAt(path) === -this.errnos.number('ENOENT'))
      return { code: this.#log.fail(code.READONLY_DIRECTORY, 'open', path, failure, doing), value: { fd: -1, flags } };
    if (write && failure !== -this.errnos.number('EISDIR') && !how.exclusive) {
      fd = this.#openDescriptor(path, { ...how, write: false, create: false });
      if (fd >= 0) return { code: code.OK, value: { fd, flags: (flags & ~(OPEN.READWRITE | OPEN.CREATE)) | OPEN.READONLY } };
    }
    const isDirectory = failure === -this.errnos.number('EISDIR');
    const result = isDirectory ? code.CANTOPEN_ISDIR : code.CANTOPEN;
    return { code: this.#log.fail(result, 'open', path, failure, doing), value: { fd: -1, flags } };
  }

  #openDescriptor(path: string, how: Parameters<Host['open']>[1]): number {
    for (;;) {
      const fd = this.host.open(path, how);
      if (fd < 0 || fd >= FIRST_SAFE_DESCRIPTOR) return fd;
      // Somebody closed a standard stream. Its number is taken up for good, so that the next open gets another.
      this.host.close(fd);
      if (how.exclusive && how.create) this.host.unlink(path);
      const plug = this.host.open('/dev/null', { write: false, create: false, exclusive: false, noFollow: false, mode: 0 });
      if (plug < 0) return plug;
    }
  }

  #isDenied(result: number): boolean {
    return ['EACCES', 'EPERM', 'EROFS'].some((name) => result === -this.errnos.number(name));
  }

  #meansAbsent(result: number): boolean {
    return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EACCES'].some((name) => result === -this.errnos.number(name));
  }

  #refuse(path: string, refusal: Refusal): Answer<undefined> {
    return { code: this.#log.refuse(code.CANTOPEN, path, refusal), value: undefined };
  }

  #cannotOpen(result: number, call: string, path: string, errno: number, doing: string): Answer<undefined> {
    return { code: this.#log.fail(result, call, path, errno, doing), value: undefined };
  }
}
