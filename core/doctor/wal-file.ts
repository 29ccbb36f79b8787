// A write-ahead log as a file: its header, what a copy of page 1 in it says, and its checksums.
//
// Source: https://sqlite.org/fileformat2.html#walformat

export const WAL_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;
/** The last bit says in which order the words are read for the checksums: 0 is little-endian. */
const MAGIC = 0x377f0682;
const FORMAT = 3007000;
/** The byte order of this machine, which is that of a wal-index. */
export const NATIVE_IS_BIG_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 0;

export interface WalHeader {
  readonly magic: number;
  /** One of the two magic numbers, the one known format, a possible page size and the right checksum. */
  readonly valid: boolean;
  readonly magicKnown: boolean;
  readonly format: number;
  readonly pageSize: number;
  /** How often the log was begun anew. */
  readonly checkpointSequence: number;
  /** As two numbers; they change each time the log is begun anew, and every frame repeats them. */
  readonly salts: readonly [number, number];
  readonly checksum: readonly [number, number];
  readonly checksumRight: boolean;
}

export function parseWalHeader(bytes: Uint8Array): WalHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, WAL_HEADER_BYTES);
  const word = (index: number) => view.getUint32(index * 4);
  const magic = word(0);
  const pageSize = word(2);
  const checksum = [word(6), word(7)] as const;
  const [first, second] = addWords([0, 0], view, 0, 24, isBigEndian(magic));
  const checksumRight = first === checksum[0] && second === checksum[1];
  const magicKnown = magic >>> 1 === MAGIC >>> 1;
  const sizeKnown = pageSize >= 512 && pageSize <= 65536 && (pageSize & (pageSize - 1)) === 0;
  return {
    magic,
    valid: magicKnown && word(1) === FORMAT && sizeKnown && checksumRight,
    magicKnown,
    format: word(1),
    pageSize,
    checkpointSequence: word(3),
    salts: [word(4), word(5)],
    checksum,
    checksumRight,
  };
}

/** What a log's copy of page 1 says of the database it belongs to. */
export interface FirstPage {
  readonly frame: number;
  readonly changeCounter: number;
  readonly schemaCookie: number;
  readonly encoding: number;
  readonly applicationId: number;
}

export const FIRST_PAGE_BYTES = 100;

/** From the first 100 bytes of page 1. */
export function parseFirstPage(frame: number, view: DataView, at: number): FirstPage {
  return {
    frame,
    changeCounter: view.getUint32(at + 24),
    schemaCookie: view.getUint32(at + 40),
    encoding: view.getUint32(at + 56),
    applicationId: view.getInt32(at + 68),
  };
}

/** Whether the words under the checksums of a log are big-endian. */
export function isBigEndian(magic: number): boolean {
  return (magic & 1) === 1;
}

/** SQLite's checksum: two sums of 32-bit words, taken two at a time (https://sqlite.org/fileformat2.html#checksum_algorithm). */
export function addWords(
  sum: readonly [number, number],
  view: DataView,
  at: number,
  bytes: number,
  bigEndian: boolean,
): [number, number] {
  let [first, second] = sum;
  for (let index = at; index < at + bytes; index += 8) {
    first = (first + view.getUint32(index, !bigEndian) + second) | 0;
    second = (second + view.getUint32(index + 4, !bigEndian) + first) | 0;
  }
  return [first >>> 0, second >>> 0];
}
