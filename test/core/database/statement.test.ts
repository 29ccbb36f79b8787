// Statements: running, rows in their forms, and the states in which a handle may be used.

import { expect, it } from 'vitest';
import { SqliteError, StateError, UsageError } from '../../../core/error.ts';
import { onBothEngines } from './on-both-engines.ts';

onBothEngines('statements', ({ open, engine }) => {
  function withRows() {
    const db = open();
    db.exec(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL); INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three')",
    );
    return db;
  }

  it('say how many rows they changed, triggers not counted', () => {
    const db = withRows();
    db.exec('CREATE TABLE log (x); CREATE TRIGGER tr AFTER UPDATE ON t BEGIN INSERT INTO log VALUES (1); END');
    expect(db.prepare("UPDATE t SET name = name || '!' WHERE id > ?").run(1).changes).toBe(2);
    expect(db.prepare('DELETE FROM t WHERE id = 99').run().changes).toBe(0);
    expect(db.prepare('CREATE TABLE other (x)').run().changes).toBe(0);
  });

  it('answer rows as objects, arrays, single values and objects by table', () => {
    const db = withRows();
    const all = 'SELECT id, name FROM t ORDER BY id';
    expect(db.prepare(all).get()).toEqual({ id: 1, name: 'one' });
    expect(db.prepare(all).all()).toHaveLength(3);
    expect(db.prepare(all).raw().all()).toEqual([
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
    ]);
    expect(db.prepare(all).pluck().all()).toEqual([1, 2, 3]);
    expect(db.prepare(all).pluck().pluck(false).get()).toEqual({ id: 1, name: 'one' });
    expect([...db.prepare(all).pluck().iterate()]).toEqual([1, 2, 3]);
    expect(db.prepare('SELECT * FROM t WHERE id = 99').get()).toBeUndefined();
    expect(db.prepare('SELECT * FROM t WHERE id = 99').all()).toEqual([]);
  });

  it('expand by table, and know where columns come from, where the engine does', () => {
    const db = withRows();
    db.exec('CREATE TABLE u (key INTEGER, t_id INTEGER)');
    db.exec('INSERT INTO u VALUES (10, 1)');
    const join = db.prepare('SELECT t.id, u.key, 1 + 1 AS sum FROM t JOIN u ON u.t_id = t.id').expand();
    const origins = db.prepare('SELECT name AS label, 1 AS one FROM t').columns();
    const nowhere = { column: null, table: null, database: null, type: null };
    // wa-sqlite was built without column metadata.
    const known = engine !== 'wa-sqlite';
    expect(join.all()).toEqual([known ? { t: { id: 1 }, u: { key: 10 }, $: { sum: 2 } } : { $: { id: 1, key: 10, sum: 2 } }]);
    expect(origins).toEqual([
      known ? { name: 'label', column: 'name', table: 't', database: 'main', type: 'TEXT' } : { name: 'label', ...nowhere },
      { name: 'one', ...nowhere },
    ]);
  });

  it('survive odd column names', () => {
    const names = ['__proto__', 'constructor', 'a"b', "it's", 'new\nline', '\u2028', '', '数'];
    const sql = `SELECT ${names.map((name, index) => `${index} AS "${name.replaceAll('"', '""')}"`).join(', ')}`;
    const row = open().prepare(sql).get() as Record<string, unknown>;
    expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
    names.forEach((name, index) => {
      if (name !== '') expect(Object.getOwnPropertyDescriptor(row, name)?.value).toBe(index);
    });
  });

  it('follow a change of schema', () => {
    const db = withRows();
    const read = db.prepare('SELECT * FROM t WHERE id = 1');
    expect(read.get()).toEqual({ id: 1, name: 'one' });
    db.exec('ALTER TABLE t ADD COLUMN extra DEFAULT 5');
    expect(read.get()).toEqual({ id: 1, name: 'one', extra: 5 });
    db.exec('ALTER TABLE t RENAME COLUMN extra TO more');
    expect(read.all()).toEqual([{ id: 1, name: 'one', more: 5 }]);
  });

  it('know whether they return rows and whether they write', () => {
    const db = withRows();
    const facts = (sql: string) => {
      const { reader, readonly, source } = db.prepare(sql);
      expect(source).toBe(sql);
      return [reader, readonly];
    };
    expect(facts('SELECT 1')).toEqual([true, true]);
    expect(facts("INSERT INTO t VALUES (9, 'x') RETURNING id")).toEqual([true, false]);
    expect(facts('DELETE FROM t')).toEqual([false, false]);
    expect(() => db.prepare('SELECT 1').run()).toThrow(StateError);
    expect(() => db.prepare('DELETE FROM t').get()).toThrow(StateError);
  });

  it('commit what RETURNING wrote, also through get', () => {
    const db = withRows();
    expect(db.prepare("INSERT INTO t VALUES (4, 'four'), (5, 'five') RETURNING id").get()).toEqual({ id: 4 });
    expect(db.prepare('SELECT count(*) FROM t').pluck().get()).toBe(5);
  });

  it('are exactly one statement', () => {
    const db = withRows();
    expect(() => db.prepare('')).toThrow(UsageError);
    expect(() => db.prepare(' -- nothing\n;')).toThrow(/no statement/);
    expect(() => db.prepare('SELECT 1; SELECT 2')).toThrow(/more than one/);
    expect(() => db.prepare('SELECT 1; garbage')).toThrow(/more than one/);
    expect(db.prepare('  SELECT 1 ; -- done\n /* really */ ').pluck().get()).toBe(1);
    expect(() => db.prepare('SELECT 1\0; DROP TABLE t')).toThrow(/NUL/);
    expect(() => db.prepare('SELECT "\uD800"')).toThrow(/surrogate/);
    expect(() => db.prepare(5 as unknown as string)).toThrow(UsageError);
  });

  it('fail with the name of the result code, the position and SQLite’s message', () => {
    const db = withRows();
    const failure = (run: () => unknown) => {
      try {
        run();
      } catch (error) {
        return error as SqliteError;
      }
      throw new Error('should have failed');
    };
    const syntax = failure(() => db.prepare('SELECT * FORM t'));
    expect(syntax).toBeInstanceOf(SqliteError);
    expect(syntax).toMatchObject({
      code: 'SQLITE_ERROR',
      sqlOffset: 9,
      message: 'near "FORM": syntax error',
      name: 'SqliteError',
    });
    expect(failure(() => db.exec('INSERT INTO t VALUES (1, null)'))).toMatchObject({
      code: 'SQLITE_CONSTRAINT_NOTNULL',
      resultCode: 1299,
    });
    expect(failure(() => db.prepare("INSERT INTO t VALUES (1, 'x')").run()).code).toBe('SQLITE_CONSTRAINT_PRIMARYKEY');
    expect(failure(() => db.prepare("SELECT json('{')").get()).message).toMatch(/malformed JSON/);
  });

  it('are usable again after they failed', () => {
    const db = withRows();
    const add = db.prepare('INSERT INTO t VALUES (?, ?)');
    expect(() => add.run(1, 'again')).toThrow(/UNIQUE/);
    expect(add.run(4, 'four').changes).toBe(1);
  });

  it('being iterated let others read, and nothing write or close', () => {
    const db = withRows();
    const all = db.prepare('SELECT id FROM t');
    for (const _ of all.iterate()) {
      expect(all.busy).toBe(true);
      expect(db.prepare('SELECT count(*) FROM t').pluck().get()).toBe(3);
      expect(() => all.get()).toThrow(/being iterated/);
      expect(() => all.raw()).toThrow(/being iterated/);
      expect(() => db.exec('SELECT 1')).toThrow(/iterating/);
      expect(() => db.prepare('DELETE FROM t').run()).toThrow(/iterating/);
      expect(() => db.close()).toThrow(/iterating/);
    }
    expect(all.busy).toBe(false);
    expect(db.prepare('DELETE FROM t').run().changes).toBe(3);
  });

  it('left in the middle of a loop are free again, also after an error in it', () => {
    const db = withRows();
    const all = db.prepare('SELECT id FROM t');
    for (const _ of all.iterate()) break;
    expect(() => {
      for (const _ of all.iterate()) throw new Error('mine');
    }).toThrow('mine');
    const iterator = all.iterate();
    expect(iterator.next().value).toEqual({ id: 1 });
    expect(iterator.return?.()).toMatchObject({ done: true });
    expect(iterator.next()).toEqual({ done: true, value: undefined });
    expect(db.exec('DELETE FROM t').open).toBe(true);
  });

  it('prepared without end do not fill the memory, and old ones still work', () => {
    const db = withRows();
    const first = db.prepare('SELECT name FROM t WHERE id = ?').pluck();
    const bound = db.prepare('SELECT ?').pluck().bind('kept');
    const iterator = db.prepare('SELECT id FROM t').pluck().iterate();
    expect(iterator.next().value).toBe(1);
    const kept = Array.from({ length: 3000 }, (_, index) => db.prepare(`SELECT ${index}, name FROM t WHERE id = ?`).raw());
    expect(first.get(2)).toBe('two');
    expect(bound.get()).toBe('kept');
    expect([...iterator]).toEqual([2, 3]);
    expect([0, 1, 1500, 2999].map((index) => kept[index]?.get(3))).toEqual([0, 1, 1500, 2999].map((index) => [index, 'three']));
    db.close();
    expect(() => first.get(1)).toThrow(/closed/);
  });

  it('of a closed database say so', () => {
    const db = withRows();
    const read = db.prepare('SELECT 1');
    db.close();
    for (const use of [
      () => read.get(),
      () => read.all(),
      () => read.iterate(),
      () => read.columns(),
      () => db.prepare('SELECT 1'),
      () => db.exec('SELECT 1'),
      () => db.pragma('user_version'),
      () => db.info,
      () => db.serialize(),
      () => db.transaction(() => {})(),
      () => db.function('f', () => 1),
    ])
      expect(use).toThrow(/closed/);
    expect(db.open).toBe(false);
    expect(db.inTransaction).toBe(false);
    expect(db.close()).toBe(db);
  });
});
