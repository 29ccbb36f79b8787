// The header of a database file as doctor reads it, without SQLite: what it says, or the one reason why nothing can be said.
//
// Source: https://sqlite.org/fileformat2.html#the_database_header

import { Errnos } from '../../vfs/errno.ts';
import type { Host } from '../../vfs/host.ts';
import { declaredMode, HEADER_BYTES } from '../../vfs/journal/on-disk.ts';
import { resolvePath } from '../../vfs/paths.ts';
import { lookInto, Unreadable } from './read-file.ts';

export interface DatabaseHeader {
  /** Bytes of one page: a power of two from 512 to 65536. */
  readonly pageSize: number;
  /** Bytes 18 and 19, the write and the read version: 1 is a rollback journal, 2 is WAL. */
  readonly writeVersion: number;
  readonly readVersion: number;
  readonly journal: 'rollback' | 'wal';
  /** Counts the writing transactions, roughly; in WAL mode not each one. It never goes back. */
  readonly changeCounter: number;
  /** The size in pages that the header states; undefined where a program older than SQLite 3.7.0 wrote last, and it is not valid. */
  readonly pageCount: number | undefined;
  /** Bytes of the file. */
  readonly fileBytes: number;
  /** Whole pages that the file holds. */
  readonly filePages: number;
  /**
   * Whether the two agree and the file ends with a page; undefined where the header's count is not valid. A disagreement means
   * a truncated or torn copy only if nobody has the file open and no WAL or rollback journal with content lies beside it.
   */
  readonly sizesAgree: boolean | undefined;
  readonly freePages: number;
  /** Counts the changes of the schema. */
  readonly schemaCookie: number;
  readonly encoding: 'UTF-8' | 'UTF-16le' | 'UTF-16be' | 'unknown';
  readonly userVersion: number;
  /** As a signed number, as `PRAGMA application_id` answers it. */
  readonly applicationId: number;
  /** The version of SQLite that wrote the file last, such as `3.40.1`; undefined where it is not stated. */
  readonly writtenBy: string | undefined;
}

export type HeaderFault =
  | 'missing'
  | 'directory'
  | 'not-a-regular-file'
  | 'permission-denied'
  | 'empty'
  | 'too-short'
  | 'zeroed'
  | 'not-a-database'
  | 'unknown-format-version'
  | 'io-error';

export type HeaderReading =
  | { readonly ok: true; readonly path: string; readonly header: DatabaseHeader }
  | {
      readonly ok: false;
      /** Resolved as far as that went. */
      readonly path: string;
      readonly fault: HeaderFault;
      /** For people, without a full stop: `the file is empty`. */
      readonly message: string;
      /** The name of the system's error, such as `EIO`, where there was one. */
      readonly errno?: string;
      readonly fileBytes?: number;
    };

const AT = {
  pageSize: 16,
  writeVersion: 18,
  readVersion: 19,
  payloadFractions: 21,
  changeCounter: 24,
  pageCount: 28,
  freePages: 36,
  schemaCookie: 40,
  encoding: 56,
  userVersion: 60,
  applicationId: 68,
  versionValidFor: 92,
  sqliteVersion: 96,
} as const;
const MAGIC = 'SQLite format 3\0';
/** Maximum and minimum embedded payload fraction and leaf payload fraction: SQLite opens nothing else. */
const PAYLOAD_FRACTIONS = [64, 32, 32];
const ENCODINGS = ['unknown', 'UTF-8', 'UTF-16le', 'UTF-16be'] as const;
const MIN_PAGE = 512;
const MAX_PAGE = 65536;
/** The highest read and write version that SQLite knows. */
const NEWEST_VERSION = 2;

/** Reads the first 100 bytes and the size, and closes. Takes no lock, writes nothing and never waits. */
export function readDatabaseHeader(host: Host, path: string): HeaderReading {
  const resolved = resolvePath(host, new Errnos(host.platform), path);
  if (typeof resolved === 'number') return unreadable(path, Unreadable.failure(host, resolved));
  const bytes = new Uint8Array(HEADER_BYTES);
  const found = lookInto(host, resolved, ({ fd, status }) => ({
    got: host.read(fd, bytes, 0, HEADER_BYTES, 0),
    fileBytes: status.size,
  }));
  if (found instanceof Unreadable) return unreadable(resolved, found);
  if (found.got < 0) return unreadable(resolved, Unreadable.failure(host, found.got));
  return judge(resolved, bytes.subarray(0, found.got), found.fileBytes);
}

/** What a header says of a file of that size. */
export function parseDatabaseHeader(bytes: Uint8Array, fileBytes: number): DatabaseHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const pageSize = pageSizeOf(view);
  const changeCounter = view.getUint32(AT.changeCounter);
  const stated = view.getUint32(AT.pageCount);
  const pageCount = stated > 0 && changeCounter === view.getUint32(AT.versionValidFor) ? stated : undefined;
  return {
    pageSize,
    writeVersion: view.getUint8(AT.writeVersion),
    readVersion: view.getUint8(AT.readVersion),
    journal: declaredMode(bytes) === 'wal' ? 'wal' : 'rollback',
    changeCounter,
    pageCount,
    fileBytes,
    filePages: Math.floor(fileBytes / pageSize),
    sizesAgree: pageCount === undefined ? undefined : pageCount * pageSize === fileBytes,
    freePages: view.getUint32(AT.freePages),
    schemaCookie: view.getUint32(AT.schemaCookie),
    encoding: ENCODINGS[view.getUint32(AT.encoding)] ?? 'unknown',
    userVersion: view.getInt32(AT.userVersion),
    applicationId: view.getInt32(AT.applicationId),
    writtenBy: versionText(view.getUint32(AT.sqliteVersion)),
  };
}

function judge(path: string, bytes: Uint8Array, fileBytes: number): HeaderReading {
  const refuse = (fault: HeaderFault, message: string): HeaderReading => ({ ok: false, path, fault, message, fileBytes });
  if (bytes.length === 0) return refuse('empty', 'the file is empty');
  if (bytes.every((byte) => byte === 0))
    return refuse('zeroed', `the first ${bytes.length} bytes of the file are all zero: its first page was lost or never written`);
  if (bytes.length < HEADER_BYTES)
    return refuse('too-short', `the file has ${bytes.length} bytes, fewer than the ${HEADER_BYTES} of a database header`);
  if ([...MAGIC].some((char, index) => bytes[index] !== char.charCodeAt(0)))
    return refuse('not-a-database', 'the file is not a database (it does not begin with "SQLite format 3"), or it is encrypted');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (declaredMode(bytes) === 'foreign') {
    const versions = [view.getUint8(AT.writeVersion), view.getUint8(AT.readVersion)];
    const unknown = versions.find((version) => version < 1 || version > NEWEST_VERSION) ?? versions[1];
    return refuse('unknown-format-version', `unrecognized file-format version ${unknown} (1 and 2 are known)`);
  }
  const pageSize = pageSizeOf(view);
  if (pageSize < MIN_PAGE || (pageSize & (pageSize - 1)) !== 0)
    return refuse('not-a-database', `the file is not a database (its header states a page size of ${pageSize})`);
  if (PAYLOAD_FRACTIONS.some((value, index) => view.getUint8(AT.payloadFractions + index) !== value))
    return refuse('not-a-database', 'the file is not a database (bytes 21 to 23 of its header must be 64, 32 and 32)');
  return { ok: true, path, header: parseDatabaseHeader(bytes, fileBytes) };
}

const FAULTS: Readonly<Record<Unreadable['why'], HeaderFault>> = {
  absent: 'missing',
  denied: 'permission-denied',
  directory: 'directory',
  link: 'not-a-regular-file',
  special: 'not-a-regular-file',
  failed: 'io-error',
};

function unreadable(path: string, { why, reason, errno }: Unreadable): HeaderReading {
  const message = why === 'absent' ? 'the file does not exist' : why === 'failed' ? `it could not be read: ${reason}` : reason;
  return { ok: false, path, fault: FAULTS[why], message, ...(errno === undefined ? {} : { errno }) };
}

function pageSizeOf(view: DataView): number {
  const stated = view.getUint16(AT.pageSize);
  return stated === 1 ? MAX_PAGE : stated;
}

/** 3040001 is 3.40.1 (https://sqlite.org/c3ref/libversion.html). */
function versionText(number: number): string | undefined {
  if (number === 0) return undefined;
  return `${Math.floor(number / 1_000_000)}.${Math.floor(number / 1000) % 1000}.${number % 1000}`;
}
