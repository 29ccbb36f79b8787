// Functions of JavaScript in SQL.

import { expect, it } from 'vitest';
import { StateError, UsageError, ValueError } from '../../../core/error.ts';
import { onBothEngines } from './on-both-engines.ts';

onBothEngines('functions', ({ open }) => {
  it('take and return every kind of value', () => {
    const db = open();
    db.function('same', (x) => x);
    const read = db.prepare('SELECT same(?)').pluck();
    for (const value of [0, -5, 2 ** 40, 1.5, 'text', 'größer', '', null]) expect(read.get(value)).toBe(value);
    expect([...(read.get(Uint8Array.of(1, 2)) as Uint8Array)]).toEqual([1, 2]);
    expect((read.get(new Uint8Array(0)) as Uint8Array).length).toBe(0);
    db.function('wide', { safeIntegers: true }, (x) => (x as bigint) + 1n);
    expect(db.prepare('SELECT wide(9007199254740993)').pluck().safeIntegers().get()).toBe(9007199254740994n);
    db.function('no_value', () => undefined);
    expect(db.prepare('SELECT no_value()').pluck().get()).toBeNull();
  });

  it('have as many arguments as they declare, or any number', () => {
    const db = open();
    db.function('two', (a, b) => `${a}${b}`);
    db.function('many', { varargs: true }, (...all) => all.length);
    expect(db.prepare("SELECT two('a', 'b'), many(), many(1, 2, 3)").raw().get()).toEqual(['ab', 0, 3]);
    expect(() => db.prepare('SELECT two(1)')).toThrow(/wrong number of arguments/);
  });

  it('throw through the statement, as they threw', () => {
    const db = open();
    const mine = new TypeError('mine');
    db.function('boom', () => {
      throw mine;
    });
    for (const use of [
      () => db.prepare('SELECT boom()').get(),
      () => db.prepare('SELECT boom()').all(),
      () => [...db.prepare('SELECT boom()').iterate()],
      () => db.exec('SELECT boom()'),
    ])
      expect(use).toThrow(mine);
    expect(db.prepare('SELECT 1').pluck().get()).toBe(1);
  });

  it('must not return what SQLite cannot store', () => {
    const db = open();
    db.function('bad', () => ({}));
    db.function('huge', () => 2n ** 64n);
    db.function('half', () => '\uD800');
    for (const name of ['bad', 'huge', 'half']) expect(() => db.prepare(`SELECT ${name}()`).get()).toThrow(ValueError);
  });

  it('must not use the database that called them', () => {
    const db = open();
    db.function('again', () => db.prepare('SELECT 1').get() as never);
    expect(() => db.prepare('SELECT again()').get()).toThrow(StateError);
  });

  it('may use another database of the same thread, and the values of their caller stay', () => {
    const db = open();
    const other = open();
    db.exec('CREATE TABLE t (i, text, blob)');
    const long = 'L'.repeat(100_000);
    db.function('disturb', (x) => {
      for (let k = 0; k < 3; k++) other.prepare('SELECT ?, ?').get('B'.repeat(50), 'M'.repeat(200_000));
      return x;
    });
    db.prepare('INSERT INTO t SELECT disturb(value), ?, ? FROM (SELECT 1 AS value UNION ALL SELECT 2)').run(
      'AAAA',
      Buffer.from(long),
    );
    expect(db.prepare('SELECT text, CAST(blob AS TEXT) = ? FROM t').raw().all(long)).toEqual([
      ['AAAA', 1],
      ['AAAA', 1],
    ]);
    expect(db.prepare('SELECT disturb(1), ? AS x').pluck(false).get('AAAA')).toMatchObject({ x: 'AAAA' });
    expect(db.prepare('SELECT disturb(1), ? AS x').all(long)).toMatchObject([{ x: long }]);
  });

  it('cannot end the iterator that called them', () => {
    const db = open();
    let iterator: IterableIterator<unknown> | undefined;
    db.function('leave', () => void iterator?.return?.());
    iterator = db.prepare('SELECT leave()').iterate();
    expect(() => iterator?.next()).toThrow(StateError);
    expect(db.prepare('SELECT 1').pluck().get()).toBe(1);
    db.close();
  });

  it('can be kept out of the schema, and be deterministic for an index', () => {
    const db = open();
    db.function('private', { directOnly: true }, () => 1);
    db.function('stable', { deterministic: true }, (x) => x);
    db.exec('CREATE TABLE t (x); CREATE INDEX i ON t (stable(x)); CREATE VIEW v AS SELECT private() AS p');
    expect(() => db.prepare('SELECT * FROM v').get()).toThrow(/unsafe use of private/);
  });

  it('can be replaced', () => {
    const db = open();
    db.function('f', () => 1);
    db.function('f', () => 2);
    expect(db.prepare('SELECT f()').pluck().get()).toBe(2);
    expect(() => db.function('', () => 1)).toThrow(UsageError);
    expect(() => db.function('g', 5 as never)).toThrow(UsageError);
    expect(() => db.function('g', null as never, () => 1)).toThrow(UsageError);
    expect(() => db.function('g'.repeat(256), () => 1)).toThrow(UsageError);
    expect(() => db.aggregate('g', { step: () => {}, result: 1 as never })).toThrow(UsageError);
  });

  it('fold rows as aggregates, each with a state of its own', () => {
    const db = open();
    db.exec("CREATE TABLE t (g, x); INSERT INTO t VALUES ('a', 1), ('a', 2), ('b', 10)");
    db.aggregate<unknown[]>('list', {
      start: () => [],
      step: (state, x) => void state.push(x),
      result: (state) => state.join('+'),
    });
    db.aggregate<number>('total', { start: 0, step: (sum, x) => sum + Number(x) });
    expect(db.prepare('SELECT g, list(x), total(x) FROM t GROUP BY g ORDER BY g').raw().all()).toEqual([
      ['a', '1+2', 3],
      ['b', '10', 10],
    ]);
    expect(db.prepare('SELECT list(x), total(x) FROM t WHERE 0').raw().get()).toEqual(['', 0]);
    expect(() => db.aggregate('bad', {} as never)).toThrow(UsageError);
  });

  it('fold windows where they can take a row out again', () => {
    const db = open();
    db.exec('CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3), (4)');
    const add = (sum: number, x: unknown) => sum + Number(x);
    db.aggregate<number>('moving', { start: 0, step: add, inverse: (sum, x) => sum - Number(x), result: (sum) => sum });
    const sums = db.prepare('SELECT moving(x) OVER (ORDER BY x ROWS 1 PRECEDING) FROM t').pluck().all();
    expect(sums).toEqual([1, 3, 5, 7]);
    db.aggregate<number>('plain', { start: 0, step: add });
    expect(() => db.prepare('SELECT plain(x) OVER () FROM t')).toThrow(/may not be used as a window function/);
  });

  it('that throw in a step end the statement with that error', () => {
    const db = open();
    db.aggregate('bad', {
      step: () => {
        throw new RangeError('in step');
      },
    });
    expect(() => db.prepare('SELECT bad()').get()).toThrow(RangeError);
  });
});
