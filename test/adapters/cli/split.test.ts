// The splitter: where statements end, which parameters they have, and that it makes no difference how the text arrives.

import { describe, expect, it } from 'vitest';
import { SqlSplitter, splitScript } from '../../../adapters/cli/sql/split.ts';

const TRIGGER = `CREATE TRIGGER log AFTER INSERT ON t WHEN CASE WHEN new.a THEN 1 ELSE 0 END BEGIN
  INSERT INTO log VALUES (CASE new.a WHEN ';' THEN 1 END);
  SELECT "end" FROM t; -- END;
END;`;

const texts = (script: string) => splitScript(script).map(({ text }) => text);

describe('splitScript', () => {
  it.each([
    ['nothing', '', []],
    ['blanks, comments and lone semicolons', ' ;; -- a;b\n/* c; */ ; ', []],
    ['one without a semicolon', 'SELECT 1', ['SELECT 1']],
    ['two', 'SELECT 1; SELECT 2;', ['SELECT 1;', 'SELECT 2;']],
    ['a string with a semicolon and a doubled quote', "SELECT 'a;''b;'; SELECT 2", ["SELECT 'a;''b;';", 'SELECT 2']],
    ['quoted names', 'SELECT "a;""b", `c;``d`, [e;f]; x', ['SELECT "a;""b", `c;``d`, [e;f];', 'x']],
    ['a backslash, which escapes nothing', "SELECT '\\'; SELECT 2", ["SELECT '\\';", 'SELECT 2']],
    ['comments inside', 'SELECT /* ; */ 1 -- ; \n + 2; x', ['SELECT /* ; */ 1 -- ; \n + 2;', 'x']],
    ['operators that look like comments', 'SELECT 1 - -1, 4 / 2, a ->> 1; x', ['SELECT 1 - -1, 4 / 2, a ->> 1;', 'x']],
    ['comments between', '/* a */ SELECT 1 /* b */; -- c\nSELECT 2', ['SELECT 1 /* b */;', 'SELECT 2']],
    ['a trigger', `${TRIGGER} SELECT 2;`, [TRIGGER, 'SELECT 2;']],
    ['a temporary trigger', `EXPLAIN ${TRIGGER.replace('TRIGGER', 'temp /* x */ trigger')}x`, undefined],
    ['a transaction, which is no trigger', 'BEGIN; SELECT 1; END; SELECT 2', ['BEGIN;', 'SELECT 1;', 'END;', 'SELECT 2']],
    ['a table named trigger', 'CREATE TABLE trigger(a); SELECT 1', ['CREATE TABLE trigger(a);', 'SELECT 1']],
    ['an unclosed string', "SELECT 'a; b", ["SELECT 'a; b"]],
    ['an unclosed comment', 'SELECT 1; /* a; b', ['SELECT 1;']],
    ['a byte order mark', '\ufeffSELECT 1;', ['SELECT 1;']],
  ])('%s', (_, script, expected) => {
    expect(texts(script)).toEqual(expected ?? [script.slice(0, -1), 'x']);
  });

  it('counts lines', () => {
    const lines = splitScript("SELECT\n1;\n\n-- c\nSELECT '\n';SELECT 3;\n/*\n*/ SELECT 4").map(({ line }) => line);
    expect(lines).toEqual([1, 5, 6, 8]);
  });

  it('sees the first words', () => {
    const [first, second] = splitScript("explain query /**/ plan select 1; INSERT INTO t VALUES ('a') returning a");
    expect(first?.head).toEqual(['EXPLAIN', 'QUERY', 'PLAN', 'SELECT']);
    expect(second?.head).toEqual(['INSERT', 'INTO', 'T', 'VALUES']);
  });

  it.each([
    ['SELECT 1', 0, []],
    ['SELECT ?, ?', 2, []],
    ['SELECT ?2, ?', 3, []],
    ['SELECT ?1, ?1, ?', 2, []],
    ['SELECT :a, @b, $c, :a, $d::e(f)', 0, ['a', 'b', 'c', 'd::e(f)']],
    ['SELECT :a, @a', 0, ['a']],
    ['SELECT :a, ?, :b, ?', 2, ['a', 'b']],
    ['SELECT \':a\', "?", [@b] -- ?\n', 0, []],
    ['SELECT a?b', 1, []],
  ])('finds the parameters of %s', (script, positional, named) => {
    const [statement] = splitScript(script);
    expect(statement?.positional).toBe(positional);
    expect(statement?.named).toEqual(named);
  });
});

describe('SqlSplitter', () => {
  const script = `${TRIGGER};; SELECT 'it''s' -- no; comment\n; /* x; */ SELECT ?12, :name /* y */;\nVALUES ("a;", \`b\`, [c]); SELECT 9`;

  it.each([1, 2, 3, 7, 50])('finds the same in pieces of %d characters', (size) => {
    const splitter = new SqlSplitter();
    const found = [];
    for (let at = 0; at < script.length; at += size) found.push(...splitter.push(script.slice(at, at + size)));
    found.push(...splitter.finish());
    expect(found).toEqual(splitScript(script));
    expect(found).toHaveLength(5);
  });

  it('gives a statement out as soon as its semicolon is there', () => {
    const splitter = new SqlSplitter();
    expect(splitter.push('SELECT 1')).toEqual([]);
    expect(splitter.pending).toBe(true);
    expect(splitter.push(';').map(({ text }) => text)).toEqual(['SELECT 1;']);
    expect(splitter.pending).toBe(false);
  });

  it.each([
    ['', false],
    ['\n', false],
    ['-- comment\n', false],
    ['SELECT\n', true],
    ["SELECT ';\n", true],
    ['/* comment;\n', true],
    ['SELECT 1; /* comment\n', true],
    ['CREATE TRIGGER a AFTER INSERT ON b BEGIN SELECT 1;\n', true],
    ['SELECT 1;\n', false],
  ])('after %j is pending: %s', (text, pending) => {
    const splitter = new SqlSplitter();
    splitter.push(text);
    expect(splitter.pending).toBe(pending);
  });
});
