// One open file without locks: a journal, a WAL, a temporary file; and the reading and writing that a database file shares.

import * as code from './codes.ts';
import { IOCAP } from './codes.ts';
import type { Errnos } from './errno.ts';
import type { FaultLog } from './fault.ts';
import type { Host } from './host.ts';
import { directoryOf } from './paths.ts';
import type { VfsFile } from './vfs.ts';

/** What every device writes whole; larger sectors are unknown to us, and SQLite's own default is the same. */
const SECTOR_SIZE = 4096;

export class PlainFile implements VfsFile {
  readonly sectorSize = SECTOR_SIZE;
  readonly path: string;
  protected readonly host: Host;
  protected readonly errnos: Errnos;
  protected readonly log: FaultLog;
  protected fd: number;
  /** A name that was just made must outlive a power cut too; the first sync sees to it. */
  #syncDirectory: boolean;

  constructor(host: Host, errnos: Errnos, log: FaultLog, fd: number, path: string, syncDirectory: boolean) {
    this.host = host;
    this.errnos = errnos;
    this.log = log;
    this.fd = fd;
    this.path = path;
    this.#syncDirectory = syncDirectory;
  }

  get characteristics(): number {
    return IOCAP.POWERSAFE_OVERWRITE | IOCAP.SUBPAGE_READ;
  }

  close(): number {
    const result = this.host.close(this.fd);
    this.fd = -1;
    return result < 0 ? this.failed(code.IOERR_CLOSE, 'close', result, 'closing it') : code.OK;
  }

  read(into: Uint8Array, at: number, length: number, offset: number): number {
    const got = this.host.read(this.fd, into, at, length, offset);
    if (got === length) return code.OK;
    if (got < 0) return this.failed(code.IOERR_READ, 'pread', got, `reading ${length} bytes at ${offset}`);
    into.fill(0, at + got, at + length);
    return code.IOERR_SHORT_READ;
  }

  write(from: Uint8Array, at: number, length: number, offset: number): number {
    const result = this.host.write(this.fd, from, at, length, offset);
    return result < 0 ? this.#writeFailed(code.IOERR_WRITE, 'pwrite', result, `writing ${length} bytes at ${offset}`) : code.OK;
  }

  truncate(size: number): number {
    const result = this.host.truncate(this.fd, size);
    return result < 0 ? this.#writeFailed(code.IOERR_TRUNCATE, 'ftruncate', result, `truncating it to ${size} bytes`) : code.OK;
  }

  sync(): number {
    const result = this.host.sync(this.fd);
    if (result < 0) return this.#writeFailed(code.IOERR_FSYNC, 'fdatasync', result, 'syncing it');
    if (this.#syncDirectory) {
      const directory = this.host.syncDirectory(directoryOf(this.path));
      if (directory < 0) return this.failed(code.IOERR_FSYNC, 'fsync', directory, 'syncing its directory');
      this.#syncDirectory = false;
    }
    return code.OK;
  }

  size(): number {
    const size = this.host.size(this.fd);
    return size < 0 ? -this.failed(code.IOERR_FSTAT, 'fstat', size, 'asking for its size') : size;
  }

  protected failed(result: number, call: string, errno: number, doing: string): number {
    return this.log.fail(result, call, this.path, errno, doing);
  }

  /** No space and no quota are SQLITE_FULL, which SQLite rolls back from; everything else is an I/O error. */
  #writeFailed(result: number, call: string, errno: number, doing: string): number {
    const full = errno === -this.errnos.number('ENOSPC') || errno === -this.errnos.number('EDQUOT');
    return this.failed(full ? code.FULL : result, call, errno, doing);
  }
}
