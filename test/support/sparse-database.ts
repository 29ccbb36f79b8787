// A database of any size that takes hardly any room on the disk.
//
// The file is lengthened with ftruncate, which makes a hole, and its header is told that all those pages are part of it:
// the page count at offset 28, which SQLite believes when the number at 92 equals the change counter at 24
// (https://sqlite.org/fileformat2.html#in_header_database_size). The pages in the hole belong to nothing, so the next page
// that SQLite needs is the first behind it. A check of the whole file would complain of the unused pages; a check of a
// table looks only at pages that the table has.

import fs from 'node:fs';

export const PAGE_SIZE = 4096;

/** Lengthens a closed rollback or WAL database with 4096-byte pages to `pages`. */
export function growSparse(path: string, pages: number): void {
  const fd = fs.openSync(path, 'r+');
  try {
    fs.ftruncateSync(fd, pages * PAGE_SIZE);
    const header = Buffer.alloc(100);
    fs.readSync(fd, header, 0, 100, 0);
    if (header.readUInt16BE(16) !== PAGE_SIZE) throw new Error(`${path} has pages of ${header.readUInt16BE(16)} bytes`);
    header.writeUInt32BE(pages, 28);
    header.copy(header, 92, 24, 28);
    fs.writeSync(fd, header, 0, 100, 0);
  } finally {
    fs.closeSync(fd);
  }
}

/** Bytes that the file really takes on the disk. */
export function bytesOnDisk(path: string): number {
  return fs.statSync(path).blocks * 512;
}
