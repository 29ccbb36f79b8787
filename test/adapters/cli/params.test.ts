// Values for parameters as they are typed.

import { describe, expect, it } from 'vitest';
import { CallError } from '../../../adapters/cli/call-error.ts';
import { Params } from '../../../adapters/cli/sql/params.ts';
import { type SqlText, splitScript } from '../../../adapters/cli/sql/split.ts';

const statement = (sql: string) => splitScript(sql)[0] as SqlText;
const value = (text: string) => new Params([text]).for(statement('SELECT ?'))[0];

describe('a value', () => {
  it.each([
    ['42', 42n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['9223372036854775807', 2n ** 63n - 1n],
    ['1.5', 1.5],
    ['-6.02e23', -6.02e23],
    ['1.0', 1],
    ['NULL', null],
    ["x'00fF'", new Uint8Array([0, 255])],
    ["X''", new Uint8Array(0)],
  ])('%s is not a text', (text, expected) => {
    expect(value(text)).toEqual(expected);
  });

  it.each([
    ["'42'", '42'],
    ["'NULL'", 'NULL'],
    ["'it''s'", "it's"],
    ["'a=b'", 'a=b'],
    ["''", ''],
    ['', ''],
    ['null', 'null'],
    ['007', '007'],
    ['+49', '+49'],
    ['12e45', '12e45'],
    ['1.', '1.'],
    ['-', '-'],
    ["'tis", "'tis"],
    ["'a' and 'b", "'a' and 'b"],
    ['two\nlines', 'two\nlines'],
    ['1=2', '1=2'],
  ])('%j is a text', (text, expected) => {
    expect(value(text)).toBe(expected);
  });

  it.each(['9223372036854775808', `1.0e999`, "x'0'", "x'zz'"])('%s is refused', (text) => {
    expect(() => value(text)).toThrow(CallError);
  });
});

describe('a name', () => {
  it.each(['a=1', ':a=1', '@a=1', '$a=1'])('may be given as %s', (text) => {
    expect(new Params([text]).for(statement('SELECT :a'))).toEqual([{ a: 1n }]);
  });

  it('may be one that objects know', () => {
    const [names] = new Params(['__proto__=1']).for(statement('SELECT :__proto__')) as [object];
    expect(Object.entries(names)).toEqual([['__proto__', 1n]]);
  });

  it('cannot be given twice', () => {
    expect(() => new Params(['a=1', ':a=2'])).toThrow(CallError);
  });
});

describe('several statements', () => {
  it('get what each of them asks for', () => {
    const params = new Params(['1', '2', 'a=3', 'b=4']);
    expect(params.for(statement('SELECT ?'))).toEqual([1n]);
    expect(params.for(statement('SELECT ?, ?, :b'))).toEqual([1n, 2n, { b: 4n }]);
    expect(params.for(statement('SELECT 1'))).toEqual([]);
  });

  it('leave nothing unused without a word', () => {
    const params = new Params(['1', '2', 'a=3']);
    params.note(statement('SELECT ?'));
    expect(params.unused).toContain('named a');
    params.note(statement('SELECT :a'));
    expect(params.unused).toContain('2');
    params.note(statement('SELECT ?2'));
    expect(params.unused).toBeUndefined();
  });
});
