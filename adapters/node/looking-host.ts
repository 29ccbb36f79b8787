// What a host can see by Node's fs alone: names, status, file systems, small text files. It loads no native library.

import fs from 'node:fs';
import type { Platform } from '../../vfs/errno.ts';
import type { FileStatus, FileSystemStatus, Host } from '../../vfs/host.ts';
import { failureOf } from './attempt.ts';

export class LookingHost
  implements Pick<Host, 'platform' | 'status' | 'list' | 'fileSystem' | 'readLink' | 'realPath' | 'readText' | 'workingDirectory'>
{
  readonly platform: Platform;

  constructor(platform: Platform) {
    this.platform = platform;
  }

  status(path: string): FileStatus | number {
    return statusFrom(() => fs.statSync(path, { bigint: true }));
  }

  list(path: string): string[] | number {
    try {
      return fs.readdirSync(path);
    } catch (error) {
      return failureOf(error);
    }
  }

  fileSystem(path: string): FileSystemStatus | number {
    try {
      const { type, bsize, bavail, blocks } = fs.statfsSync(path);
      return { type, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    } catch (error) {
      return failureOf(error);
    }
  }

  readLink(path: string): string | number {
    try {
      return fs.readlinkSync(path);
    } catch (error) {
      return failureOf(error);
    }
  }

  realPath(path: string): string | number {
    try {
      return fs.realpathSync.native(path);
    } catch (error) {
      return failureOf(error);
    }
  }

  readText(path: string): string | undefined {
    try {
      return fs.readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
  }

  /** `.` where it was removed: a relative name then leads nowhere, and the system says so. */
  workingDirectory(): string {
    try {
      return process.cwd();
    } catch {
      return '.';
    }
  }
}

export function statusFrom(call: () => fs.BigIntStats): FileStatus | number {
  try {
    const status = call();
    return {
      dev: String(status.dev),
      ino: String(status.ino),
      size: Number(status.size),
      mode: Number(status.mode) & 0o7777,
      uid: Number(status.uid),
      gid: Number(status.gid),
      links: Number(status.nlink),
      modifiedAt: Number(status.mtimeMs),
      type: status.isFile() ? 'file' : status.isDirectory() ? 'directory' : status.isSymbolicLink() ? 'symlink' : 'other',
    };
  } catch (error) {
    return failureOf(error);
  }
}
