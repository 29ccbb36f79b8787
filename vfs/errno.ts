// System error numbers by name, for the two systems we know, and what each means to a person.

export type Platform = 'linux' | 'darwin';

/** Names in the order of their Linux numbers; the second number is macOS's where it differs. */
const TABLE: ReadonlyArray<readonly [name: string, linux: number, darwin: number, meaning: string]> = [
  ['EPERM', 1, 1, 'operation not permitted'],
  ['ENOENT', 2, 2, 'no such file or directory'],
  ['EINTR', 4, 4, 'interrupted'],
  ['EIO', 5, 5, 'input/output error'],
  ['EBADF', 9, 9, 'bad file descriptor'],
  ['EAGAIN', 11, 35, 'held by somebody else'],
  ['ENOMEM', 12, 12, 'out of memory'],
  ['EACCES', 13, 13, 'permission denied'],
  ['EBUSY', 16, 16, 'device or resource busy'],
  ['EEXIST', 17, 17, 'file exists'],
  ['ENODEV', 19, 19, 'this file system cannot map files into shared memory'],
  ['ENOTDIR', 20, 20, 'not a directory'],
  ['EISDIR', 21, 21, 'is a directory'],
  ['EINVAL', 22, 22, 'not supported by this file system'],
  ['ENFILE', 23, 23, 'too many open files in the system'],
  ['EMFILE', 24, 24, 'too many open files in this process'],
  ['ETXTBSY', 26, 26, 'text file busy'],
  ['EFBIG', 27, 27, 'file too large'],
  ['ENOSPC', 28, 28, 'no space left on the device'],
  ['ESPIPE', 29, 29, 'not a regular file (cannot seek)'],
  ['EROFS', 30, 30, 'read-only file system'],
  ['EMLINK', 31, 31, 'too many links'],
  ['ENAMETOOLONG', 36, 63, 'name too long'],
  ['ENOLCK', 37, 77, 'no locks available'],
  ['ENOSYS', 38, 78, 'not implemented'],
  ['ENOTEMPTY', 39, 66, 'directory not empty'],
  ['ELOOP', 40, 62, 'too many symbolic links'],
  ['EOVERFLOW', 75, 84, 'value too large'],
  ['EOPNOTSUPP', 95, 102, 'operation not supported'],
  ['ESTALE', 116, 70, 'stale file handle'],
  ['EDQUOT', 122, 69, 'disk quota exceeded'],
];

/** errno by name for one platform; a name that the platform lacks is -1 and so never matches. */
export class Errnos {
  readonly #names = new Map<number, string>();
  readonly #meanings = new Map<number, string>();
  readonly #numbers = new Map<string, number>();

  constructor(platform: Platform) {
    for (const [name, linux, darwin, meaning] of TABLE) {
      const number = platform === 'linux' ? linux : darwin;
      this.#names.set(number, name);
      this.#meanings.set(number, meaning);
      this.#numbers.set(name, number);
    }
  }

  number(name: string): number {
    return this.#numbers.get(name) ?? -1;
  }

  name(errno: number): string {
    return this.#names.get(errno) ?? `errno ${errno}`;
  }

  meaning(errno: number): string {
    return this.#meanings.get(errno) ?? 'unknown system error';
  }
}
