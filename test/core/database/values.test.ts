// Values cross into SQLite and back unchanged, or are refused with a clear error.

import { expect, it } from 'vitest';
import { HoldfastError, ValueError } from '../../../core/error.ts';
import { onBothEngines } from './on-both-engines.ts';

const EXACT: readonly [label: string, value: unknown, type: string][] = [
  ['zero', 0, 'integer'],
  ['a 32-bit integer', -2147483648, 'integer'],
  ['an integer past 32 bits', 2147483648, 'integer'],
  ['the largest safe integer', Number.MAX_SAFE_INTEGER, 'integer'],
  ['the smallest safe integer', Number.MIN_SAFE_INTEGER, 'integer'],
  ['a fraction', 0.1, 'real'],
  ['negative zero', -0, 'real'],
  ['a huge real', 1.7976931348623157e308, 'real'],
  ['the smallest real', 5e-324, 'real'],
  ['infinity', Number.POSITIVE_INFINITY, 'real'],
  ['an empty text', '', 'text'],
  ['ASCII', 'hello', 'text'],
  ['an ASCII text of 1000', 'x'.repeat(1000), 'text'],
  ['umlauts', 'Grüße', 'text'],
  ['CJK', '数据库', 'text'],
  ['emoji', '🗄️🔒', 'text'],
  ['a byte order mark', '\uFEFFx', 'text'],
  ['a NUL inside', 'a\0b', 'text'],
  ['a megabyte of two-byte characters', 'é'.repeat(500_000), 'text'],
  ['null', null, 'null'],
];

onBothEngines('values', ({ open }) => {
  it.each(EXACT)('carries %s', (_, value, type) => {
    const row = open().prepare('SELECT ? AS value, typeof(?) AS type').get(value, value);
    expect(row).toStrictEqual({ value, type });
  });

  it.each([0, 1, 12, 13, 47, 48, 49, 65535, 65536, 65537, 3_000_000])('carries a text and a blob of %i bytes', (length) => {
    const text = Array.from({ length }, (_, index) => String.fromCharCode(32 + (index % 95))).join('');
    const bytes = Uint8Array.from({ length }, (_, index) => index % 251);
    const row = open().prepare('SELECT ?, length(?), ?, length(?)').raw().get(text, text, bytes, bytes) as unknown[];
    expect(row[0] === text).toBe(true);
    expect(row[1]).toBe(length);
    expect(Buffer.compare(row[2] as Uint8Array, bytes)).toBe(0);
    expect(row[3]).toBe(length);
  });

  it('keeps blobs apart from its own memory', () => {
    const db = open();
    const statement = db.prepare('SELECT ?').pluck();
    const first = statement.get(Uint8Array.of(1, 2, 3)) as Uint8Array;
    statement.get(Uint8Array.of(9, 9, 9));
    expect([...first]).toEqual([1, 2, 3]);
  });

  it('takes every view of bytes, and only the viewed part', () => {
    const buffer = Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7).buffer;
    const read = open().prepare('SELECT hex(?)').pluck();
    expect(read.get(buffer)).toBe('0001020304050607');
    expect(read.get(new DataView(buffer, 2, 3))).toBe('020304');
    expect(read.get(new Uint16Array(buffer, 4, 1))).toBe('0405');
    expect(read.get(Buffer.from('hi'))).toBe('6869');
  });

  it('binds undefined as NULL and NaN as the NULL that SQLite makes of it', () => {
    expect(open().prepare('SELECT ?, ?').raw().get(undefined, Number.NaN)).toEqual([null, null]);
  });

  it('carries 64-bit integers as BigInts', () => {
    const values = [2n ** 63n - 1n, -(2n ** 63n), 9007199254740993n, -1n, 0n];
    const read = open().prepare('SELECT ?').pluck().safeIntegers();
    expect(values.map((value) => read.get(value))).toEqual(values);
  });

  it('refuses an integer that a number would round, and never returns a rounded one', () => {
    const db = open();
    const read = db.prepare('SELECT 9007199254740993 AS id');
    expect(() => read.get()).toThrow(ValueError);
    expect(() => read.get()).toThrow(/9007199254740993.*safeIntegers/s);
    expect(() => read.all()).toThrow(ValueError);
    expect(() => [...read.iterate()]).toThrow(ValueError);
    expect(db.prepare('SELECT 9007199254740992').pluck().safeIntegers().get()).toBe(9007199254740992n);
    expect(db.prepare('SELECT 1').pluck().get()).toBe(1);
  });

  it('refuses a BigInt past 64 bits', () => {
    expect(() =>
      open()
        .prepare('SELECT ?')
        .get(2n ** 63n),
    ).toThrow(/64 bits/);
  });

  it.each([[true], [Symbol('x')], [() => 1], [new Date(0)], [new Map()], [{}]])('refuses %s as a value', (value) => {
    expect(() => open().prepare('SELECT ?').get(value)).toThrow(ValueError);
  });

  it('refuses a text with half a character instead of storing another one', () => {
    const db = open();
    for (const broken of ['\uD800', 'ok \uDC00', `${'x'.repeat(100)}\uD83D`])
      expect(() => db.prepare('SELECT ?').get(broken)).toThrow(/surrogate/);
  });

  it('reads text that is no UTF-8 as replacement characters, and its bytes exactly as a blob', () => {
    const db = open();
    expect(db.prepare("SELECT CAST(x'61ff62' AS TEXT)").pluck().get()).toBe('a\uFFFDb');
    expect([...(db.prepare("SELECT CAST(CAST(x'61ff62' AS TEXT) AS BLOB)").pluck().get() as Uint8Array)]).toEqual([
      0x61, 0xff, 0x62,
    ]);
  });

  it('that do not fit into the engine’s memory are an error, and the next statement works', () => {
    const db = open();
    const huge = 'SELECT zeroblob(800000000), zeroblob(800000000), zeroblob(800000000)';
    expect(() => db.prepare(huge).raw().all()).toThrow(HoldfastError);
    expect(db.prepare('SELECT 1').pluck().get()).toBe(1);
  });

  it('answers the last row id exactly, as a BigInt where a number could not', () => {
    const db = open();
    db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY)');
    const add = db.prepare('INSERT INTO t VALUES (?)');
    expect(add.run(7).lastInsertRowid).toBe(7);
    expect(add.run(2n ** 62n).lastInsertRowid).toBe(2n ** 62n);
    expect(add.safeIntegers().run(8).lastInsertRowid).toBe(8n);
  });
});
