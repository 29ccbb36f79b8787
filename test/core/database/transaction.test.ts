// Transactions around functions.

import { expect, it } from 'vitest';
import { StateError } from '../../../core/error.ts';
import { onBothEngines } from './on-both-engines.ts';

onBothEngines('transactions', ({ open }) => {
  function table() {
    const db = open();
    db.exec('CREATE TABLE t (x UNIQUE)');
    const add = db.prepare('INSERT INTO t VALUES (?)');
    const count = () => db.prepare('SELECT count(*) FROM t').pluck().get();
    return { db, add, count };
  }

  it('commit what the function did and answer what it returned', () => {
    const { db, add, count } = table();
    const addAll = db.transaction((values: number[]) => {
      expect(db.inTransaction).toBe(true);
      for (const value of values) add.run(value);
      return values.length;
    });
    expect(addAll([1, 2, 3])).toBe(3);
    expect(db.inTransaction).toBe(false);
    expect(count()).toBe(3);
  });

  it('roll back when the function throws, and throw the same error', () => {
    const { db, add, count } = table();
    const mine = new Error('mine');
    const failing = db.transaction(() => {
      add.run(1);
      throw mine;
    });
    expect(failing).toThrow(mine);
    expect(db.inTransaction).toBe(false);
    expect(count()).toBe(0);
  });

  it.each(['default', 'deferred', 'immediate', 'exclusive'] as const)('come as %s, with this and arguments passed on', (kind) => {
    const { db, add, count } = table();
    const whole = db.transaction(function (this: { base: number }, x: number) {
      add.run(this.base + x);
    });
    expect(whole.database).toBe(db);
    (whole[kind] as (this: { base: number }, x: number) => void).call({ base: 10 }, 5);
    expect(count()).toBe(1);
  });

  it('nest as savepoints', () => {
    const { db, add, count } = table();
    const inner = db.transaction((x: number, fail: boolean) => {
      add.run(x);
      if (fail) throw new Error('inner');
    });
    db.transaction(() => {
      inner(1, false);
      expect(() => inner(2, true)).toThrow('inner');
      db.transaction(() => inner(3, false))();
    })();
    expect(count()).toBe(2);
  });

  it('refuse a function that returns a promise, and roll back', () => {
    const { db, add, count } = table();
    const asynchronous = db.transaction(async () => {
      add.run(1);
    });
    expect(asynchronous).toThrow(StateError);
    expect(count()).toBe(0);
  });

  it('whose function closed the database say so', () => {
    const { db } = table();
    expect(db.transaction(() => void db.close())).toThrow(/closed/);
  });

  it('that SQLite rolled back itself are not rolled back twice', () => {
    const { db, add, count } = table();
    add.run(1);
    const failing = db.transaction(() => {
      add.run(2);
      db.exec('INSERT OR ROLLBACK INTO t VALUES (1)');
    });
    expect(failing).toThrow(/UNIQUE/);
    expect(db.inTransaction).toBe(false);
    expect(count()).toBe(1);
  });
});
