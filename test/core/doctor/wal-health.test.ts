// The health of a write-ahead log, held against what native SQLite says of the same files.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { readDatabaseHeader } from '../../../core/doctor/header.ts';
import { parseWalHeader } from '../../../core/doctor/wal-file.ts';
import { examineWal, type WalHealth, type WalQuestion } from '../../../core/doctor/wal-health.ts';
import { Errnos } from '../../../vfs/errno.ts';
import { copyCrash, crashDatabase } from '../../support/crashed-database.ts';
import { nativePeer, type Peer } from '../../support/peer.ts';
import { randomFrom } from '../../support/random.ts';
import { openSync } from '../../support/runtimes.ts';
import { tempFolder, tempPath } from '../../support/temp-folder.ts';
import { demand, findPython } from '../../support/tools.ts';
import { changedHost, host, seen } from './looking.ts';

const errnos = new Errnos(host.platform);
const FRAME = 24 + 4096;

function examine(file: string, question: WalQuestion = {}): WalHealth {
  const before = seen(path.dirname(file));
  const reading = readDatabaseHeader(host, file);
  const health = examineWal(host, file, reading.ok ? { header: reading.header, ...question } : question);
  expect(seen(path.dirname(file))).toEqual(before);
  return health;
}

/** A native writer with a table, in WAL mode, that never checkpoints by itself. */
async function nativeWriter(context: TestContext, file = tempPath()): Promise<{ file: string; db: Peer }> {
  const db = nativePeer(demand(context, findPython()));
  await db.open(file);
  await db.script(`PRAGMA journal_mode=wal; PRAGMA wal_autocheckpoint=0; CREATE TABLE t (id INTEGER PRIMARY KEY, v, body)`);
  return { file, db };
}

function fill(rows: number): string {
  return `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO t(v, body) SELECT i, hex(randomblob(100)) FROM n`;
}

function copyTo(folder: string, file: string, suffixes = ['', '-wal', '-shm']): string {
  const copy = path.join(folder, 'copy.db');
  for (const suffix of suffixes) fs.copyFileSync(file + suffix, copy + suffix);
  return copy;
}

/** How many frames native SQLite recovers from a copy without its wal-index. */
async function recoveredByNative(context: TestContext, file: string): Promise<number> {
  const copy = copyTo(tempFolder(), file, ['', '-wal']);
  const peer = nativePeer(demand(context, findPython()));
  await peer.open(copy);
  const [row] = await peer.rows('PRAGMA wal_checkpoint');
  await peer.close();
  return row?.[1] as number;
}

describe('a living log', () => {
  it('is counted by its wal-index as PRAGMA wal_checkpoint counts it, pinned and free again', async (context) => {
    const { file, db } = await nativeWriter(context);
    await db.script(fill(300));
    const reader = nativePeer(demand(context, findPython()));
    await reader.open(file);
    await reader.script('BEGIN');
    await reader.rows('SELECT count(*) FROM t');
    await db.script(fill(20_000));
    const [passive] = await db.rows('PRAGMA wal_checkpoint(PASSIVE)');
    const health = examine(file, { heldSlots: [1] });
    const [, log, done] = passive as [number, number, number];
    expect(health).toMatchObject({
      countedBy: 'wal-index',
      indexState: 'valid',
      frames: log,
      lastCommitFrame: log,
      pending: log - done,
      fullyCheckpointed: false,
      busy: false,
      complete: true,
      doesNotFit: undefined,
      suspicious: [],
      marksBehind: [1],
      pinnedBy: [1],
    });
    expect(log - done).toBeGreaterThan(500);
    expect(health.index?.readMarks[1]).toBe(done);
    expect(health.commitPages).toBe((await db.rows('PRAGMA page_count'))[0]?.[0]);
    expect(examine(file).pinnedBy).toBeUndefined();
    expect(examine(file, { heldSlots: [3, 0] }).pinnedBy).toEqual([0]);
    await reader.script('COMMIT');
    await db.rows('PRAGMA wal_checkpoint(PASSIVE)');
    const healthy = examine(file, { heldSlots: [0] });
    expect(healthy).toMatchObject({ frames: log, lastCommitFrame: log, pending: 0, fullyCheckpointed: true, pinnedBy: [] });
    expect(healthy.walBytes).toBeGreaterThan(2_000_000);
    // The walk, without the wal-index, agrees on the frames; what is checkpointed only the wal-index knows.
    const copy = copyTo(tempFolder(), file, ['', '-wal']);
    expect(examine(copy)).toMatchObject({
      countedBy: 'walk',
      indexState: 'absent',
      lastCommitFrame: log,
      validFrames: log,
      commitPages: healthy.commitPages,
      pending: log,
      doesNotFit: undefined,
      suspicious: [],
    });
  });

  it('that was begun anew has old frames that count for nothing', async (context) => {
    const { file, db } = await nativeWriter(context);
    await db.script(fill(1000));
    const frames = examine(file).lastCommitFrame;
    // The next writer begins anew at the first frame.
    await db.rows('PRAGMA wal_checkpoint(RESTART)');
    expect(examine(file)).toMatchObject({ lastCommitFrame: frames, pending: 0, fullyCheckpointed: true });
    await db.script('INSERT INTO t(v) VALUES (0)');
    const anew = examine(file);
    expect(anew.lastCommitFrame).toBeGreaterThan(0);
    expect(anew.lastCommitFrame).toBeLessThan(10);
    expect(anew).toMatchObject({ countedBy: 'wal-index', frames, pending: anew.lastCommitFrame, doesNotFit: undefined });
    const copy = copyTo(tempFolder(), file, ['', '-wal']);
    expect(examine(copy)).toMatchObject({ countedBy: 'walk', frames, validFrames: anew.lastCommitFrame, doesNotFit: undefined });
    await db.rows('PRAGMA wal_checkpoint(TRUNCATE)');
    expect(examine(file)).toMatchObject({
      walBytes: 0,
      frames: 0,
      pending: 0,
      fullyCheckpointed: true,
      doesNotFit: undefined,
      suspicious: [],
    });
  });

  it('is never said not to fit while it is written, checkpointed, begun anew and vacuumed', async (context) => {
    const { file, db } = await nativeWriter(context);
    let writing = true;
    const writer = (async () => {
      for (let round = 0; round < 60; round++) {
        await db.script(fill(50 + (round % 7) * 100));
        if (round % 3 === 0) await db.rows('PRAGMA wal_checkpoint(PASSIVE)');
        if (round % 5 === 0) await db.rows('PRAGMA wal_checkpoint(RESTART)');
        if (round % 11 === 0) await db.rows('PRAGMA wal_checkpoint(TRUNCATE)');
        if (round % 9 === 0) await db.script('DELETE FROM t; VACUUM');
      }
      writing = false;
    })();
    let looks = 0;
    while (writing) {
      const reading = readDatabaseHeader(host, file);
      expect(reading.ok).toBe(true);
      const health = examineWal(host, file, reading.ok ? { header: reading.header } : {});
      expect(health).toMatchObject({ doesNotFit: undefined, suspicious: [], unreadable: undefined });
      if (health.pending !== undefined) expect(health.pending).toBeGreaterThanOrEqual(0);
      looks++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await writer;
    expect(looks).toBeGreaterThan(20);
  });

  it.each([512, 65536])('with pages of %i bytes', async (pageSize) => {
    const file = tempPath();
    const db = openSync(file);
    db.exec(
      `PRAGMA page_size=${pageSize}; PRAGMA journal_mode=wal; PRAGMA wal_autocheckpoint=0; CREATE TABLE t (id INTEGER PRIMARY KEY, v, body)`,
    );
    db.exec(fill(3000));
    const [row] = db.prepare('PRAGMA wal_checkpoint').raw().all() as [number, number, number][];
    const health = examine(file);
    expect(health.index?.pageSize).toBe(pageSize);
    expect(health).toMatchObject({ countedBy: 'wal-index', doesNotFit: undefined, suspicious: [] });
    expect([health.lastCommitFrame, health.lastCommitFrame - (health.pending as number)]).toEqual(row?.slice(1));
    const walked = examine(copyTo(tempFolder(), file, ['', '-wal']));
    expect(walked).toMatchObject({
      countedBy: 'walk',
      lastCommitFrame: health.lastCommitFrame,
      doesNotFit: undefined,
      suspicious: [],
    });
    db.close();
  });
});

describe('without a log', () => {
  it('nothing is pending', () => {
    const file = tempPath();
    openSync(file).exec('CREATE TABLE t (x)').close();
    const nothing = {
      walBytes: undefined,
      shmBytes: undefined,
      frames: 0,
      pending: 0,
      fullyCheckpointed: true,
      countedBy: 'nothing',
      suspicious: [],
    };
    expect(examine(file)).toMatchObject({ ...nothing, indexState: 'absent' });
    fs.writeFileSync(`${file}-wal`, '');
    fs.writeFileSync(`${file}-shm`, 'abc');
    expect(examine(file)).toMatchObject({ ...nothing, walBytes: 0, shmBytes: 3, indexState: 'empty' });
  });

  it('a wal-index with frames says that the log was taken away', async (context) => {
    const { file, db } = await nativeWriter(context);
    await db.script(fill(100));
    const copy = copyTo(tempFolder(), file, ['', '-shm']);
    expect(examine(copy).suspicious.join()).toMatch(/counts \d+ frames, but the -wal does not exist/);
    fs.writeFileSync(`${copy}-wal`, '');
    expect(examine(copy).suspicious.join()).toMatch(/but the -wal is empty/);
  });

  it('a log that cannot be read leaves everything open', () => {
    const file = tempPath();
    openSync(file).exec('CREATE TABLE t (x)').close();
    fs.mkdirSync(`${file}-wal`);
    expect(examine(file)).toMatchObject({ unreadable: 'it is a directory', pending: undefined, fullyCheckpointed: undefined });
    fs.rmdirSync(`${file}-wal`);
    fs.writeFileSync(`${file}-wal`, Buffer.alloc(5000));
    for (const [errno, change] of [
      ['EACCES', { open: () => -errnos.number('EACCES') }],
      ['EIO', { read: () => -errnos.number('EIO') }],
    ] as const) {
      const health = examineWal(changedHost(change), file);
      expect(health).toMatchObject({ pending: undefined, fullyCheckpointed: undefined, complete: false });
      expect(health.unreadable).toContain(errno);
    }
  });
});

describe('an abandoned log', () => {
  it('of a killed writer: the walk finds what native SQLite recovers, and not what was never committed', async (context) => {
    const file = tempPath();
    await crashDatabase(file, 'abandoned-wal', { native: demand(context, findPython()) });
    const expected = await recoveredByNative(context, file);
    const stale = examine(file);
    expect(stale).toMatchObject({ countedBy: 'wal-index', lastCommitFrame: expected, doesNotFit: undefined, suspicious: [] });
    const copy = tempPath();
    copyCrash(file, copy);
    fs.rmSync(`${copy}-shm`);
    const walked = examine(copy);
    expect(walked).toMatchObject({
      countedBy: 'walk',
      lastCommitFrame: expected,
      pending: expected,
      complete: true,
      doesNotFit: undefined,
    });
    expect(walked.validFrames).toBeGreaterThan(expected);
    expect(walked.commitPages).toBe(stale.commitPages);
  });

  it.each([
    ['a frame number', 0],
    ['a commit mark', 7],
    ['a salt', 9],
    ['a checksum', 17],
    ['a page', 24 + 2000],
  ])('ends where %s was damaged', async (_, offset) => {
    const { copy, frames } = abandoned();
    const at = Math.floor(frames / 2);
    const wal = fs.readFileSync(`${copy}-wal`);
    const place = 32 + at * FRAME + offset;
    wal.writeUInt8((wal[place] as number) ^ 0x40, place);
    fs.writeFileSync(`${copy}-wal`, wal);
    const health = examine(copy);
    expect(health).toMatchObject({ frames, validFrames: at, complete: true });
    expect(health.lastCommitFrame).toBeLessThanOrEqual(at);
  });

  it('whose wal-index is of the dead is walked, and what its damage hides is counted', async (context) => {
    const { copy, frames, shm } = abandoned();
    fs.writeFileSync(`${copy}-shm`, shm);
    expect(examine(copy, { alone: true })).toMatchObject({
      countedBy: 'walk',
      lastCommitFrame: frames,
      unreachable: 0,
      doesNotFit: undefined,
      suspicious: [],
    });
    const wal = fs.readFileSync(`${copy}-wal`);
    wal.fill(0xa5, 32 + 5 * FRAME + 1000, 32 + 5 * FRAME + 1004);
    fs.writeFileSync(`${copy}-wal`, wal);
    const recovered = await recoveredByNative(context, copy);
    expect(recovered).toBeLessThan(frames);
    const damaged = { countedBy: 'walk', lastCommitFrame: recovered, unreachable: frames - recovered, doesNotFit: undefined };
    expect(examine(copy, { alone: true })).toMatchObject({ ...damaged, pending: recovered });
    // By the frames themselves, too, without a wal-index.
    fs.rmSync(`${copy}-shm`);
    expect(examine(copy, { alone: true })).toMatchObject(damaged);
    // Of the living, the wal-index is believed.
    fs.writeFileSync(`${copy}-shm`, shm);
    expect(examine(copy)).toMatchObject({ countedBy: 'wal-index', lastCommitFrame: frames, unreachable: 0 });
  });

  it('keeps what its wal-index says of checkpoints, if that counted the same frames', async (context) => {
    const { file, db } = await nativeWriter(context);
    await db.script(fill(300));
    await db.rows('PRAGMA wal_checkpoint(PASSIVE)');
    const copy = copyTo(tempFolder(), file);
    expect(examine(copy, { alone: true })).toMatchObject({
      countedBy: 'walk',
      pending: 0,
      fullyCheckpointed: true,
      unreachable: 0,
    });
  });

  it('is not damaged by what was rolled back, was cut short, or was left from before it was begun anew', async (context) => {
    const { file, db } = await nativeWriter(context);
    await db.script(fill(1000));
    await db.rows('PRAGMA wal_checkpoint(RESTART)');
    await db.script('PRAGMA cache_size=1; INSERT INTO t(v) VALUES (0)');
    const alone = (from = file) => examine(copyTo(tempFolder(), from), { alone: true });
    const anew = alone();
    expect(anew).toMatchObject({ unreachable: 0, doesNotFit: undefined });
    expect(anew.frames).toBeGreaterThan(anew.validFrames);
    // Frames of a transaction that was spilled and rolled back stay behind the next commit, with the log's own salts.
    await db.script('BEGIN');
    await db.script(fill(3000));
    expect(alone().validFrames).toBeGreaterThan(anew.validFrames);
    await db.script('ROLLBACK');
    await db.script('INSERT INTO t(v) VALUES (1)');
    expect(alone()).toMatchObject({ unreachable: 0 });
    const crashed = tempPath();
    await crashDatabase(crashed, 'abandoned-wal', { native: demand(context, findPython()) });
    expect(alone(crashed)).toMatchObject({ countedBy: 'walk', unreachable: 0 });
  });

  it('that was damaged ends where native SQLite ends', async (context) => {
    const { copy } = abandoned();
    const wal = fs.readFileSync(`${copy}-wal`);
    wal.fill(0, 32 + 20 * FRAME + 30, 32 + 20 * FRAME + 40);
    fs.writeFileSync(`${copy}-wal`, wal);
    expect(examine(copy).lastCommitFrame).toBe(await recoveredByNative(context, copy));
  });

  it('with checksums in the other byte order, as a big-endian machine writes them', async (context) => {
    const { copy, frames } = abandoned();
    fs.writeFileSync(`${copy}-wal`, inBigEndian(fs.readFileSync(`${copy}-wal`)));
    expect(examine(copy)).toMatchObject({ countedBy: 'walk', validFrames: frames, doesNotFit: undefined });
    expect(await recoveredByNative(context, copy)).toBe(frames);
  });

  it('is walked no further than asked, and says so', () => {
    const { copy, frames } = abandoned();
    const part = examine(copy, { walkLimit: 10 * FRAME + 5 });
    expect(part).toMatchObject({ frames, validFrames: 10, complete: false, fullyCheckpointed: false });
    expect(examine(copy, { walkLimit: 0 })).toMatchObject({ validFrames: 0, complete: false, fullyCheckpointed: undefined });
    expect(examine(copy, { walkLimit: frames * FRAME }).validFrames).toBe(frames);
  });

  it('beside a torn wal-index is walked', () => {
    const { copy, frames, shm } = abandoned();
    for (const place of [16, 16 + 48, 40]) {
      const torn = Buffer.from(shm);
      torn.writeUInt8((torn[place] as number) ^ 1, place);
      fs.writeFileSync(`${copy}-shm`, torn);
      expect(examine(copy)).toMatchObject({ indexState: 'invalid', countedBy: 'walk', lastCommitFrame: frames });
    }
  });

  it('whose wal-index changes at every look is busy, and nothing is said of it', () => {
    const { copy, shm } = abandoned();
    fs.writeFileSync(`${copy}-shm`, shm);
    let round = 0;
    const restless = changedHost({
      read: (fd, into, at, length, position) => {
        const got = host.read(fd, into, at, length, position);
        if (length === 136) into[at + 8] = 100 + (round++ % 100);
        return got;
      },
    });
    expect(examineWal(restless, copy)).toMatchObject({
      busy: true,
      indexState: 'busy',
      pending: undefined,
      fullyCheckpointed: undefined,
      doesNotFit: undefined,
    });
  });

  it('that is begun anew while we look is looked at again', () => {
    const { copy, frames } = abandoned();
    let headers = 0;
    const moving = (until: number) =>
      changedHost({
        read: (fd, into, at, length, position) => {
          const got = host.read(fd, into, at, length, position);
          if (length === 32 && headers++ < until) into[at + 15] = headers;
          return got;
        },
      });
    // Of the first pair of looks the header differs, of the second not.
    expect(examineWal(moving(1), copy)).toMatchObject({ busy: false, validFrames: frames });
    headers = 0;
    expect(examineWal(moving(1e9), copy)).toMatchObject({ busy: true, pending: undefined });
  });
});

describe('a log that is not of this database', () => {
  it('with other page sizes', () => {
    const { copy } = abandoned();
    const other = tempPath();
    openSync(other).exec('PRAGMA page_size=8192; PRAGMA journal_mode=wal; CREATE TABLE t (x)').close();
    fs.copyFileSync(other, copy);
    expect(examine(copy).doesNotFit).toMatch(/pages of 4096 bytes, the database of 8192/);
  });

  it('with a damaged header, of which SQLite reads nothing', async (context) => {
    for (const [place, said] of [
      [3, /does not begin as a log/],
      [17, /checksum of its header is wrong/],
    ] as const) {
      const { copy } = abandoned();
      const wal = fs.readFileSync(`${copy}-wal`);
      wal.writeUInt8((wal[place] as number) ^ 0x80, place);
      fs.writeFileSync(`${copy}-wal`, wal);
      expect(examine(copy)).toMatchObject({ countedBy: 'nothing', pending: undefined, doesNotFit: expect.stringMatching(said) });
      expect(await recoveredByNative(context, copy)).toBe(0);
    }
  });

  it('an old log over a restored newer database', () => {
    const { copy, db: old } = abandoned();
    // The same database, grown on; then its old log comes back, with and without its wal-index.
    old.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    old.close();
    for (let round = 0; round < 3; round++) openSync(old.name).exec(fill(500)).close();
    fs.copyFileSync(old.name, copy);
    expect(examine(copy).doesNotFit).toMatch(/the database is newer than the log/);
  });

  it('an old log over another, larger database is at least suspicious', () => {
    const { copy } = abandoned();
    const other = tempPath();
    const db = openSync(other);
    db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, v, body)');
    db.exec(fill(20_000));
    db.close();
    fs.copyFileSync(other, copy);
    const { doesNotFit, suspicious } = examine(copy);
    expect([doesNotFit, ...suspicious].join()).toMatch(/newer than the log|would shrink/);
  });

  it('a new log beside an old copy of its database', () => {
    const file = tempPath();
    const db = openSync(file);
    db.exec('PRAGMA journal_mode=wal; CREATE TABLE t (id INTEGER PRIMARY KEY, v, body)');
    db.exec(fill(100));
    db.close();
    const copy = copyTo(tempFolder(), file, ['']);
    for (let round = 0; round < 4; round++) openSync(file).exec(fill(500)).close();
    const last = openSync(file);
    last.exec(fill(300));
    fs.copyFileSync(`${file}-wal`, `${copy}-wal`);
    expect(examine(copy).doesNotFit).toMatch(/the database is older than what the log was begun on/);
    // With the right database it does.
    expect(examine(copyTo(tempFolder(), file)).doesNotFit).toBeUndefined();
    last.close();
  });

  it('a log whose database was cut to less than it can fill', () => {
    const { copy } = abandoned();
    const { db } = abandoned(5000);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.exec('UPDATE t SET v = 0 WHERE id = 1');
    fs.copyFileSync(`${db.name}-wal`, `${copy}-wal`);
    fs.copyFileSync(db.name, copy);
    fs.truncateSync(copy, 5 * 4096);
    expect(examine(copy).doesNotFit).toMatch(/the pages between are in neither/);
    db.close();
  });

  it('a wal-index of another log is suspicious, and the log is walked', () => {
    const { copy, frames } = abandoned();
    fs.writeFileSync(`${copy}-shm`, abandoned().shm);
    expect(examine(copy)).toMatchObject({
      countedBy: 'walk',
      validFrames: frames,
      suspicious: [expect.stringMatching(/another log/)],
    });
  });

  it('a log that was cut under its wal-index', () => {
    const { copy, shm, frames } = abandoned();
    fs.writeFileSync(`${copy}-shm`, shm);
    fs.truncateSync(`${copy}-wal`, 32 + 3 * FRAME);
    expect(examine(copy).doesNotFit).toBe(`the -shm counts ${frames} frames, but the log holds 3: it was cut, or is another one`);
  });
});

it('noise in both sidecars is never more than a verdict', () => {
  const random = randomFrom(7);
  const { copy, shm } = abandoned();
  const wal = fs.readFileSync(`${copy}-wal`);
  for (let round = 0; round < 300; round++) {
    const noisy = [Buffer.from(wal.subarray(0, 32 + random(4) * FRAME + random(FRAME))), Buffer.from(shm)] as const;
    for (const bytes of noisy)
      for (let hit = random(6); hit > 0; hit--)
        bytes.writeUInt8(random(256), random(Math.min(bytes.length, random(2) ? 160 : bytes.length)));
    fs.writeFileSync(`${copy}-wal`, noisy[0]);
    fs.writeFileSync(`${copy}-shm`, noisy[1].subarray(0, random(4) ? noisy[1].length : random(200)));
    const reading = readDatabaseHeader(host, copy);
    const health = examineWal(host, copy, { ...(reading.ok ? { header: reading.header } : {}), heldSlots: [0, 1, 2, 3, 4] });
    expect(health.frames).toBeLessThanOrEqual(wal.length / 512);
    expect(health.pending ?? 0).toBeGreaterThanOrEqual(0);
  }
});

/** A copy of a living database with its log, and the wal-index that it had. */
function abandoned(rows = 400) {
  const file = tempPath();
  const db = openSync(file);
  db.exec('PRAGMA journal_mode=wal; PRAGMA wal_autocheckpoint=0; CREATE TABLE t (id INTEGER PRIMARY KEY, v, body)');
  db.exec(fill(rows));
  db.exec(fill(rows));
  const copy = copyTo(tempFolder(), file, ['', '-wal']);
  const frames = (fs.statSync(`${copy}-wal`).size - 32) / FRAME;
  return { copy, frames, db, shm: fs.readFileSync(`${file}-shm`) };
}

/** The same log with its checksums in big-endian words. Written out plainly, as the format's description has it. */
function inBigEndian(wal: Buffer): Buffer {
  const out = Buffer.from(wal);
  out.writeUInt32BE(0x377f0683, 0);
  const { pageSize } = parseWalHeader(wal);
  const sum: [number, number] = [0, 0];
  const add = (from: number, to: number) => {
    for (let at = from; at < to; at += 8) {
      sum[0] = (sum[0] + out.readUInt32BE(at) + sum[1]) >>> 0;
      sum[1] = (sum[1] + out.readUInt32BE(at + 4) + sum[0]) >>> 0;
    }
  };
  const put = (at: number) => {
    out.writeUInt32BE(sum[0], at);
    out.writeUInt32BE(sum[1], at + 4);
  };
  add(0, 24);
  put(24);
  for (let at = 32; at + 24 + pageSize <= out.length; at += 24 + pageSize) {
    add(at, at + 8);
    add(at + 24, at + 24 + pageSize);
    put(at + 16);
  }
  return out;
}
