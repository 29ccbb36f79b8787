// The text encoding that a database declares, which SQLite tells only after it has read the schema.
//
// Source: https://sqlite.org/fileformat2.html#the_database_header

import { OK } from '../../vfs/codes.ts';
import { declaredMode, HEADER_BYTES } from '../../vfs/journal/on-disk.ts';
import type { VfsFile } from '../../vfs/vfs.ts';

/** A 32-bit number, big end first, of which the last byte says all: 1 is UTF-8, 2 and 3 are UTF-16. */
const ENCODING_AT = 59;

/** Whether an open file is a UTF-16 database. Takes no lock. */
export function isUtf16(file: VfsFile): boolean {
  const bytes = new Uint8Array(HEADER_BYTES);
  return file.read(bytes, 0, HEADER_BYTES, 0) === OK && declaresUtf16(bytes);
}

/** Whether these are the bytes of a UTF-16 database. */
export function declaresUtf16(bytes: Uint8Array): boolean {
  return declaredMode(bytes) !== 'foreign' && (bytes[ENCODING_AT] as number) > 1;
}
