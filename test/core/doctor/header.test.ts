// The header of a database as doctor reads it: what native SQLite says of the same file, and each reason for saying nothing.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type HeaderReading, readDatabaseHeader } from '../../../core/doctor/header.ts';
import { Errnos } from '../../../vfs/errno.ts';
import { openSync } from '../../support/runtimes.ts';
import { tempFolder, tempPath } from '../../support/temp-folder.ts';
import { demand, findPython, findTool } from '../../support/tools.ts';
import { changedHost, host, seen } from './looking.ts';

const errnos = new Errnos(host.platform);

function headerOf(reading: HeaderReading) {
  if (!reading.ok) throw new Error(reading.message);
  return reading.header;
}

function faultOf(reading: HeaderReading) {
  return reading.ok ? 'none' : reading.fault;
}

/** A good database, some of whose first bytes are other ones. */
function patched(change: (bytes: Buffer) => Buffer | void): string {
  const file = tempPath();
  openSync(file, { journal: 'delete' }).exec('CREATE TABLE t (x)').close();
  const bytes = fs.readFileSync(file);
  fs.writeFileSync(file, change(bytes) ?? bytes);
  return file;
}

describe('a readable header', () => {
  it.each([512, 1024, 4096, 65536])('with pages of %i bytes is what SQLite says', (pageSize) => {
    const file = tempPath('数据 base.db');
    const db = openSync(file, { journal: 'delete' });
    db.exec(`PRAGMA page_size=${pageSize}; PRAGMA user_version=-7; PRAGMA application_id=-1; CREATE TABLE t (x);
      INSERT INTO t VALUES (randomblob(200000)); DELETE FROM t`);
    const expected = {
      pageSize,
      journal: 'rollback',
      writeVersion: 1,
      readVersion: 1,
      pageCount: db.pragma('page_count', { simple: true }),
      freePages: db.pragma('freelist_count', { simple: true }),
      schemaCookie: db.pragma('schema_version', { simple: true }),
      userVersion: -7,
      applicationId: -1,
      encoding: 'UTF-8',
      writtenBy: db.info.sqliteVersion,
      sizesAgree: true,
      fileBytes: fs.statSync(file).size,
    };
    db.close();
    const before = seen(path.dirname(file));
    const header = headerOf(readDatabaseHeader(host, file));
    expect(header).toMatchObject(expected);
    expect(header.freePages).toBeGreaterThan(0);
    expect(header.filePages).toBe(header.pageCount);
    expect(seen(path.dirname(file))).toEqual(before);
  });

  it('of a native database in WAL mode, through a symbolic link, and of one in UTF-16', (context) => {
    const python = demand(context, findPython());
    const folder = tempFolder();
    const script = `
import sqlite3, sys
w = sqlite3.connect(sys.argv[1] + '/w.db'); w.execute('PRAGMA journal_mode=wal'); w.execute('CREATE TABLE t (x)'); w.close()
u = sqlite3.connect(sys.argv[1] + '/u.db'); u.execute("PRAGMA encoding='UTF-16be'"); u.execute('CREATE TABLE t (x)'); u.close()
print(sqlite3.sqlite_version)`;
    const version = execFileSync(python, ['-c', script, folder], { encoding: 'utf8' }).trim();
    fs.symlinkSync('w.db', `${folder}/link.db`);
    const reading = readDatabaseHeader(host, `${folder}/link.db`);
    expect(reading.path).toBe(`${folder}/w.db`);
    expect(headerOf(reading)).toMatchObject({ journal: 'wal', writeVersion: 2, readVersion: 2, writtenBy: version });
    expect(headerOf(readDatabaseHeader(host, `${folder}/u.db`)).encoding).toBe('UTF-16be');
  });

  it('whose page count is not valid, since another program wrote last, says no count', () => {
    const file = patched((bytes) => void bytes.writeUInt32BE(bytes.readUInt32BE(92) + 1, 92));
    expect(headerOf(readDatabaseHeader(host, file))).toMatchObject({ pageCount: undefined, sizesAgree: undefined, filePages: 2 });
  });

  it('shows a file that was cut, and one with something behind it', () => {
    expect(
      headerOf(
        readDatabaseHeader(
          host,
          patched((bytes) => bytes.subarray(0, 5000)),
        ),
      ),
    ).toMatchObject({
      pageCount: 2,
      filePages: 1,
      sizesAgree: false,
    });
    const longer = patched((bytes) => Buffer.concat([bytes, Buffer.alloc(10)]));
    expect(headerOf(readDatabaseHeader(host, longer))).toMatchObject({ pageCount: 2, filePages: 2, sizesAgree: false });
  });
});

describe('a header that cannot be read has its own reason', () => {
  const cases: Record<string, [fault: string, make: () => string]> = {
    'no file': ['missing', () => tempPath()],
    'no folder': ['missing', () => `${tempPath()}/x/y.db`],
    'a file in place of a folder': ['missing', () => `${patched(() => {})}/x.db`],
    'a link to nothing': [
      'missing',
      () => {
        const file = tempPath();
        fs.symlinkSync('nowhere', file);
        return file;
      },
    ],
    'a folder': ['directory', tempFolder],
    'a device': ['not-a-regular-file', () => '/dev/null'],
    'no byte': ['empty', () => patched(() => Buffer.alloc(0))],
    'one byte': ['too-short', () => patched((bytes) => bytes.subarray(0, 1))],
    '99 bytes': ['too-short', () => patched((bytes) => bytes.subarray(0, 99))],
    zeros: ['zeroed', () => patched((bytes) => Buffer.alloc(bytes.length))],
    'a first page of zeros': ['zeroed', () => patched((bytes) => void bytes.fill(0, 0, 4096))],
    'ten zeros': ['zeroed', () => patched(() => Buffer.alloc(10))],
    text: ['not-a-database', () => patched(() => Buffer.from('no database '.repeat(100)))],
    noise: ['not-a-database', () => patched((bytes) => Buffer.alloc(bytes.length, 0xa5))],
    'a magic without its NUL': ['not-a-database', () => patched((bytes) => void bytes.writeUInt8(0x20, 15))],
    'a page size of 1000': ['not-a-database', () => patched((bytes) => void bytes.writeUInt16BE(1000, 16))],
    'a page size of 256': ['not-a-database', () => patched((bytes) => void bytes.writeUInt16BE(256, 16))],
    'a page size of 0': ['not-a-database', () => patched((bytes) => void bytes.writeUInt16BE(0, 16))],
    'a payload fraction of 63': ['not-a-database', () => patched((bytes) => void bytes.writeUInt8(63, 21))],
    'version 3': ['unknown-format-version', () => patched((bytes) => void bytes.fill(3, 18, 20))],
    'version 0': ['unknown-format-version', () => patched((bytes) => void bytes.fill(0, 18, 20))],
  };
  it.each(Object.entries(cases))('%s', (_, [fault, make]) => {
    const reading = readDatabaseHeader(host, make());
    expect(faultOf(reading)).toBe(fault);
    expect(reading.ok ? '' : reading.message).toMatch(/^[a-z].*[^.]$/);
  });

  it('names the version that it does not know', () => {
    const reading = readDatabaseHeader(
      host,
      patched((bytes) => void bytes.writeUInt8(77, 19)),
    );
    expect(reading.ok ? '' : reading.message).toContain('version 77');
  });

  it('a FIFO, without waiting for its other end', (context) => {
    const mkfifo = demand(context, findTool('mkfifo'));
    const file = tempPath();
    execFileSync(mkfifo, [file]);
    expect(faultOf(readDatabaseHeader(host, file))).toBe('not-a-regular-file');
  });

  it.each(['EIO', 'ESTALE', 'EMFILE'])('%s', (errno) => {
    const file = patched(() => {});
    for (const call of ['open', 'read'] as const) {
      const broken = changedHost({ [call]: () => -errnos.number(errno) });
      expect(readDatabaseHeader(broken, file)).toMatchObject({ ok: false, fault: 'io-error', errno });
    }
  });

  it('a file that we may not read', () => {
    const denied = changedHost({ open: () => -errnos.number('EACCES') });
    expect(
      readDatabaseHeader(
        denied,
        patched(() => {}),
      ),
    ).toMatchObject({ fault: 'permission-denied', errno: 'EACCES' });
  });

  it('leaves no descriptor open', () => {
    const open = new Set<number>();
    const counting = changedHost({
      open: (...parameters) => {
        const fd = host.open(...parameters);
        open.add(fd);
        return fd;
      },
      close: (fd) => {
        open.delete(fd);
        return host.close(fd);
      },
    });
    readDatabaseHeader(
      counting,
      patched(() => {}),
    );
    readDatabaseHeader(
      counting,
      patched(() => Buffer.from('x')),
    );
    expect([...open]).toEqual([]);
  });
});
