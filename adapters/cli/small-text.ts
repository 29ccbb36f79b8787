// A small text file of a user, read whole: never for ever, never more than a limit, and never what only looks like a file.

import fs from 'node:fs';

/** Why a file cannot be used, without a full stop. */
export class Unusable extends Error {}

/**
 * File systems whose files are questions to the kernel: reading one may wait for ever, as /proc/kmsg does, or change something.
 * By statfs(2)'s number: proc, sysfs, debugfs, tracefs, securityfs, cgroup, cgroup2.
 */
const KERNEL_FILE_SYSTEMS = [0x9fa0, 0x62656572, 0x64626720, 0x74726163, 0x73636673, 0x27e0eb, 0x63677270];

/** The text of a regular file in UTF-8. @throws Unusable if it is none, is larger than `limit` bytes, or cannot be read. */
export function wholeText(file: string, limit: number): string {
  try {
    return decoded(bytesOf(file, limit));
  } catch (error) {
    if (error instanceof Unusable || !(error instanceof Error) || !('syscall' in error)) throw error;
    throw new Unusable(error.message);
  }
}

function bytesOf(file: string, limit: number): Uint8Array {
  // Looked at before it is opened, since opening a device can do something.
  demandOrdinary(fs.statSync(file), limit);
  if (KERNEL_FILE_SYSTEMS.includes(fs.statfsSync(file).type))
    throw new Unusable('it is a file of the kernel, such as those of /proc');
  // Without waiting, should a pipe have come into its place.
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    const size = demandOrdinary(fs.fstatSync(fd), limit);
    const bytes = new Uint8Array(size);
    let got = 0;
    while (got < size) {
      const more = fs.readSync(fd, bytes, got, size - got, got);
      if (more === 0) break;
      got += more;
    }
    return bytes.subarray(0, got);
  } finally {
    fs.closeSync(fd);
  }
}

/** Answers its size. */
function demandOrdinary(status: fs.Stats, limit: number): number {
  if (!status.isFile()) throw new Unusable('it is not a regular file');
  if (status.size > limit) throw new Unusable(`it has ${status.size} bytes, more than the ${limit} that are read`);
  return status.size;
}

function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  // UTF-16 without its mark is full of zero bytes.
  if (isUtf16 || bytes.includes(0)) throw new Unusable('it is not text in UTF-8, but in UTF-16 or no text at all');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Unusable('it is not text in UTF-8');
  }
}
