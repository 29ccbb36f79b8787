// Which values go to which parameters.

import { expect, it } from 'vitest';
import { StateError, ValueError } from '../../../core/error.ts';
import { onBothEngines } from './on-both-engines.ts';

onBothEngines('parameters', ({ open }) => {
  it('are given in order, as arrays, by name, or mixed', () => {
    const db = open();
    expect(db.prepare('SELECT ?, ?, ?').raw().get(1, 2, 3)).toEqual([1, 2, 3]);
    expect(db.prepare('SELECT ?, ?, ?').raw().get([1, 2], 3)).toEqual([1, 2, 3]);
    expect(db.prepare('SELECT :a, @b, $c').raw().get({ a: 1, b: 2, c: 3 })).toEqual([1, 2, 3]);
    expect(db.prepare('SELECT ?, :a, ?').raw().get(1, { a: 'x' }, 2)).toEqual([1, 'x', 2]);
    expect(
      db
        .prepare('SELECT :a, :a')
        .raw()
        .get(Object.assign(Object.create(null), { a: 5 })),
    ).toEqual([5, 5]);
  });

  it('with numbers are positions', () => {
    expect(open().prepare('SELECT ?2, ?1, ?2').raw().get('one', 'two')).toEqual(['two', 'one', 'two']);
  });

  it('must be as many as the statement has', () => {
    const db = open();
    expect(() => db.prepare('SELECT ?, ?').get(1)).toThrow(/Too few parameter values.*1 for 2/);
    expect(() => db.prepare('SELECT ?').get(1, 2)).toThrow(/Too many parameter values.*2 for 1/);
    expect(() => db.prepare('SELECT 1').get(1)).toThrow(ValueError);
    expect(() => db.prepare('SELECT :a').get()).toThrow(/Missing named parameters: a/);
    expect(() => db.prepare('SELECT :a, :b').get({ a: 1 })).toThrow(/Missing named parameter "b"/);
    expect(() => db.prepare('SELECT :toString').get({})).toThrow(/Missing named parameter "toString"/);
    expect(() => db.prepare('SELECT :a, :b').get({ a: 1 }, { b: 2 })).toThrow(/two objects/);
  });

  it('can be bound for good, once', () => {
    const db = open();
    const bound = db.prepare('SELECT ?, ?').raw().bind('a', Uint8Array.of(7));
    db.prepare('SELECT ?').get('other text in the same scratch memory');
    expect(bound.get()).toEqual(['a', Uint8Array.of(7)]);
    expect(bound.all()).toEqual([['a', Uint8Array.of(7)]]);
    expect(() => bound.get(1, 2)).toThrow(StateError);
    expect(() => bound.bind(1, 2)).toThrow(/bound already/);
  });

  it('that were refused leave nothing behind', () => {
    const read = open().prepare('SELECT ?, ?').raw();
    expect(() => read.get('a', Symbol('no'))).toThrow(ValueError);
    expect(read.get('b', 'c')).toEqual(['b', 'c']);
  });

  it('read through getters cannot disturb each other, nor outlive their database', () => {
    const db = open();
    const other = db.prepare('SELECT ?').pluck();
    const read = db.prepare('SELECT :x AS x, :y AS y');
    const tricky = {
      x: 'AAAA',
      get y() {
        other.get('BBBBBBB');
        return read.get({ x: 'inner', y: 1 }) ? 'CCC' : '';
      },
    };
    expect(read.get(tricky)).toEqual({ x: 'AAAA', y: 'CCC' });
    const closing = {
      x: 1,
      get y() {
        db.close();
        return 2;
      },
    };
    expect(() => read.get(closing)).toThrow(/closed/);
  });

  it('of an iterator stay as they were while other statements run', () => {
    const db = open();
    const other = db.prepare('SELECT ?').pluck();
    const seen: unknown[] = [];
    for (const row of db.prepare('SELECT ? AS text, value FROM (SELECT 1 AS value UNION ALL SELECT 2)').iterate('first'))
      seen.push(row, other.get('a different text of another length'));
    expect(seen).toEqual([
      { text: 'first', value: 1 },
      'a different text of another length',
      { text: 'first', value: 2 },
      'a different text of another length',
    ]);
  });
});
