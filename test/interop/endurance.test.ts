// Opening and closing without end, and many at once: descriptors and memory stay where they were.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../core/database/database.ts';
import { descriptors } from '../support/kernel-view.ts';
import { openSync, separateEngine } from '../support/runtimes.ts';
import { sidecarsOf, tempFolder, tempPath } from '../support/temp-folder.ts';

const CYCLES = 3000;
/** After these, everything that is made once has been made. */
const WARM_UP = 1500;
const MEGABYTE = 1 << 20;
/** Of a whole process with its garbage collector; a leak of one engine page per cycle would be more. */
const RESIDENT_ALLOWED = 64 * MEGABYTE;
const DATABASES = 100;

function residentBytes(): number {
  // Garbage is no leak. Bun's collector waits for a good while on a machine with much memory.
  const { gc, Bun } = globalThis as { gc?: () => void; Bun?: { gc(force: boolean): void } };
  gc?.();
  Bun?.gc(true);
  return process.memoryUsage().rss;
}

describe('opening and closing', () => {
  for (const journal of ['wal', 'delete'] as const) {
    it(`${CYCLES} times in ${journal} mode leaves descriptors and memory flat`, async () => {
      const file = tempPath();
      const { runtime, openSync: open } = await separateEngine();
      const cycle = (number: number) => {
        const db = open(file, { journal });
        db.exec('CREATE TABLE IF NOT EXISTS t (x)');
        const insert = db.prepare('INSERT INTO t VALUES (?)');
        // The transaction is left open now and then, and statements always: closing must see to them.
        if (number % 3 === 0) db.exec('BEGIN');
        insert.run(`row ${number}`);
        if (number % 5 === 0) db.prepare('SELECT x FROM t LIMIT 3').all();
        if (number % 50 === 0) db.function('twice', (x: unknown) => Number(x) * 2);
        db.close();
      };
      for (let number = 0; number < WARM_UP; number++) cycle(number);
      const fds = descriptors().length;
      const memory = runtime.engine.memory.u8.length;
      const resident = residentBytes();
      for (let number = WARM_UP; number < CYCLES; number++) cycle(number);
      expect(descriptors().length).toBe(fds);
      expect(runtime.engine.memory.u8.length).toBe(memory);
      expect(residentBytes() - resident).toBeLessThan(RESIDENT_ALLOWED);
      expect(sidecarsOf(file)).toEqual([]);
      const db = openSync(file);
      const kept = Array.from({ length: CYCLES }, (_, number) => number).filter((number) => number % 3 !== 0).length;
      expect(db.prepare('SELECT count(*) FROM t').pluck().get()).toBe(kept);
      db.close();
    });
  }

  it('gives back the memory of the engine to the last block', async () => {
    const file = tempPath();
    const { runtime, openSync: open } = await separateEngine();
    const cycle = () => {
      const db = open(file, { journal: 'wal' });
      db.exec('CREATE TABLE IF NOT EXISTS t (x); INSERT INTO t VALUES (1)');
      db.prepare('SELECT x FROM t LIMIT 5').all();
      db.close();
    };
    const { c } = runtime.engine;
    for (let number = 0; number < 50; number++) cycle();
    const [before, after] = [c, c].map((_, turn) => {
      if (turn === 1) for (let number = 0; number < 500; number++) cycle();
      // The address of a new block rises when blocks below it were not given back.
      const blocks = Array.from({ length: 64 }, () => c.malloc(32_768));
      for (const block of blocks) c.free(block);
      return Math.max(...blocks);
    }) as [number, number];
    expect(after - before).toBeLessThan(MEGABYTE / 4);
  });

  it('a failed open leaves no descriptor behind', () => {
    const folder = tempFolder();
    const file = path.join(folder, 'not a database.db');
    fs.writeFileSync(file, 'x'.repeat(5000));
    const attempts = () => {
      expect(() => openSync(path.join(folder, 'missing', 'x.db'))).toThrow();
      expect(() => openSync(folder)).toThrow();
      expect(() => openSync(file, { journal: 'wal' })).toThrow();
    };
    attempts();
    const before = descriptors().length;
    for (let number = 0; number < 100; number++) attempts();
    expect(descriptors().length).toBe(before);
  });
});

it.each(['wal', 'delete'] as const)(`${DATABASES} databases at once, each with its own data, in %s mode`, (journal) => {
  const folder = tempFolder();
  const before = descriptors().length;
  const all: Database[] = [];
  for (let number = 0; number < DATABASES; number++) {
    const db = openSync(path.join(folder, `${number}.db`), { journal });
    db.exec('CREATE TABLE t (x)');
    all.push(db);
  }
  // In turns, and all with a transaction open at the same time.
  for (const db of all) db.exec('BEGIN IMMEDIATE');
  for (let row = 0; row < 5; row++) all.forEach((db, number) => db.prepare('INSERT INTO t VALUES (?)').run(number * 10 + row));
  for (const db of all) db.exec('COMMIT');
  all.forEach((db, number) => {
    const rows = db.prepare('SELECT x FROM t ORDER BY x').pluck().all();
    expect(rows).toEqual([0, 1, 2, 3, 4].map((row) => number * 10 + row));
  });
  for (const db of all.reverse()) db.close();
  expect(descriptors().length).toBe(before);
  expect(fs.readdirSync(folder).sort()).toEqual(all.map((_, number) => `${number}.db`).sort());
});
