// What the first bytes of a database file say before SQLite has read it: whether it is a WAL database, and its text encoding.
//
// Source: https://sqlite.org/fileformat2.html#the_database_header

import { OK } from '../../vfs/codes.ts';
import type { VfsFile } from '../../vfs/vfs.ts';

const MAGIC = 'SQLite format 3\0';
const WRITE_VERSION_AT = 18;
const READ_VERSION_AT = 19;
const WAL_VERSION = 2;
/** A 32-bit number, big end first, of which the last byte says all: 1 is UTF-8, 2 and 3 are UTF-16. */
const ENCODING_AT = 59;
const HEADER_BYTES = 100;

export interface DatabaseHeader {
  isWal: boolean;
  encoding: 'UTF-8' | 'UTF-16';
}

/** The header of an open file; undefined if it has none (yet), or not one of SQLite's. Takes no lock. */
export function readHeader(file: VfsFile): DatabaseHeader | undefined {
  const bytes = new Uint8Array(HEADER_BYTES);
  return file.read(bytes, 0, HEADER_BYTES, 0) === OK ? parseHeader(bytes) : undefined;
}

/** The header of a database that is given as bytes; undefined if it is not one of SQLite's. */
export function parseHeader(bytes: Uint8Array): DatabaseHeader | undefined {
  if (bytes.length < HEADER_BYTES || [...MAGIC].some((char, index) => bytes[index] !== char.charCodeAt(0))) return undefined;
  const encoding = bytes[ENCODING_AT] as number;
  return {
    isWal: bytes[WRITE_VERSION_AT] === WAL_VERSION || bytes[READ_VERSION_AT] === WAL_VERSION,
    encoding: encoding > 1 ? 'UTF-16' : 'UTF-8',
  };
}
