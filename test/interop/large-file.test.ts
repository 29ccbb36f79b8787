// Databases past 2 and past 4 GiB: offsets that need more than 31 and 32 bits, in both directions and both journal modes.

import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { localPeer, nativePeer, type Peer } from '../support/peer.ts';
import { bytesOnDisk, growSparse, PAGE_SIZE } from '../support/sparse-database.ts';
import { sidecarsOf, tempPath } from '../support/temp-folder.ts';
import { demand, findPython } from '../support/tools.ts';

const GIB = 2 ** 30;
/** The hole ends this many pages below the boundary, so that new rows lie on both sides of it. */
const PAGES_BELOW = 50;
const ROWS = 3000;
const FACTS = 'SELECT count(*), sum(id), sum(length(body)), min(body), max(body), group_concat(substr(body, 1, 8)) FROM';

const insertRows = (table: string) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
  INSERT INTO ${table} SELECT i, printf('%08d', i * 7919 % 100003) || hex(randomblob(200)) FROM n`;

async function expectSame(a: Peer, b: Peer, tables: string[]): Promise<void> {
  for (const table of tables) {
    const facts = await a.rows(`${FACTS} ${table}`);
    expect(facts[0]?.[0]).toBe(ROWS);
    expect(await b.rows(`${FACTS} ${table}`)).toEqual(facts);
    for (const peer of [a, b]) expect(await peer.rows(`PRAGMA integrity_check(${table})`)).toEqual([['ok']]);
  }
}

describe.each([2, 4])('a database past %i GiB', (gib) => {
  it.for(['delete', 'wal'] as const)('reads and writes the same rows as native, in %s mode', async (journal, context) => {
    const python = demand(context, findPython());
    const path = tempPath();
    const [ours, native] = [localPeer(), nativePeer(python)];
    await ours.open(path, { journal });
    await ours.script('CREATE TABLE low (id INTEGER PRIMARY KEY, body)');
    await ours.script(insertRows('low'));
    await ours.close();
    const lowPages = fs.statSync(path).size / PAGE_SIZE;
    const boundary = (gib * GIB) / PAGE_SIZE;
    growSparse(path, boundary - PAGES_BELOW);
    const lowBytes = bytesOnDisk(path);

    await ours.open(path);
    await native.open(path);
    await ours.script('CREATE TABLE high_by_ours (id INTEGER PRIMARY KEY, body)');
    await ours.script(insertRows('high_by_ours'));
    await native.script('CREATE TABLE high_by_native (id INTEGER PRIMARY KEY, body)');
    await native.script(insertRows('high_by_native'));
    await expectSame(ours, native, ['low', 'high_by_ours', 'high_by_native']);

    // Only ours has dbstat: the new rows lie around and above the boundary, not wrapped around to the start of the file.
    const extent = "SELECT min(pageno), max(pageno) FROM dbstat WHERE name = 'high_by_ours'";
    const [first, last] = (await ours.rows(extent))[0] as [number, number];
    expect(first).toBeGreaterThanOrEqual(boundary - PAGES_BELOW);
    expect(first).toBeLessThan(boundary);
    expect(last).toBeGreaterThan(boundary);

    // A change above the boundary that is rolled back after it spilled to the disk; truncation cuts there, too.
    const size = (await native.rows('PRAGMA page_count'))[0]?.[0] as number;
    await ours.script('PRAGMA cache_size=5; BEGIN; UPDATE high_by_native SET body = lower(body) || 1');
    await ours.script(insertRows('low').replace('SELECT i,', 'SELECT i + 1000000,'));
    await ours.script('ROLLBACK');
    expect(await native.rows('PRAGMA page_count')).toEqual([[size]]);
    await expectSame(native, ours, ['low', 'high_by_ours', 'high_by_native']);

    await ours.close();
    await native.close();
    expect(sidecarsOf(path)).toEqual([]);
    expect(fs.statSync(path).size).toBe(size * PAGE_SIZE);
    // The hole is still a hole, and the low part has not become longer.
    const added = (size - (boundary - PAGES_BELOW)) * PAGE_SIZE;
    expect(bytesOnDisk(path)).toBeLessThan(lowBytes + added + 100 * PAGE_SIZE);
    const behindLow = Buffer.alloc(64 * PAGE_SIZE);
    const fd = fs.openSync(path, 'r');
    fs.readSync(fd, behindLow, 0, behindLow.length, lowPages * PAGE_SIZE);
    fs.closeSync(fd);
    expect(behindLow.every((byte) => byte === 0)).toBe(true);
  });
});
