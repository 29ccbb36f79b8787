// What results look like: exact in every format, aligned in tables, harmless on a terminal.

import { describe, expect, it } from 'vitest';
import { distinct } from '../../../adapters/cli/output/json.ts';
import { sql } from './command.ts';

const VALUES = `VALUES (9223372036854775807, 1.0, 'text', x'00ff'), (-9223372036854775808, 0.1, '', x''),
  (9007199254740993, 1e300, 'say "hi", you', NULL), (9007199254740991, -9e999, 'two' || char(10) || 'lines', NULL)`;
const run = (...args: string[]) => sql([':memory:', ...args]);

describe('--json', () => {
  it('prints exact values', () => {
    expect(JSON.parse(run(VALUES, '--json'))).toEqual([
      { column1: '9223372036854775807', column2: 1, column3: 'text', column4: { $blob: '00ff' } },
      { column1: '-9223372036854775808', column2: 0.1, column3: '', column4: { $blob: '' } },
      { column1: '9007199254740993', column2: 1e300, column3: 'say "hi", you', column4: null },
      { column1: 9007199254740991, column2: '-Infinity', column3: 'two\nlines', column4: null },
    ]);
  });

  it('prints a row a line, and reals apart from integers', () => {
    expect(run('SELECT 1 AS a, 1.0 AS b UNION ALL SELECT 2, 2.5', '--json')).toBe('[\n{"a":1,"b":1.0},\n{"a":2,"b":2.5}\n]\n');
  });

  it('prints an array for each result, also for an empty one', () => {
    expect(run('SELECT 1 AS a; CREATE TABLE t(a); SELECT a FROM t', '--json')).toBe('[\n{"a":1}\n]\n[]\n');
  });

  it('keeps all columns of one name', () => {
    expect(JSON.parse(run('SELECT 1 AS a, 2 AS a, 3 AS "a:2", 4 AS a', '--json'))).toEqual([
      { a: 1, 'a:3': 2, 'a:2': 3, 'a:4': 4 },
    ]);
    expect(distinct(['a', 'b', 'a', 'a'])).toEqual(['a', 'b', 'a:2', 'a:3']);
  });

  it('prints control characters as escapes', () => {
    const out = run('SELECT char(27) || char(155) || char(0) || char(8232) AS a', '--json');
    expect(out).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028]/);
    expect(JSON.parse(out)).toEqual([{ a: '\x1b\x9b\0\u2028' }]);
  });

  it('does not cut long blobs', () => {
    expect(JSON.parse(run('SELECT zeroblob(100000) AS a', '--json'))).toEqual([{ a: { $blob: '00'.repeat(100000) } }]);
  });
});

describe('--csv', () => {
  it('prints exact values, quoted where RFC 4180 says so', () => {
    expect(run(VALUES, '--csv').split('\r\n')).toEqual([
      'column1,column2,column3,column4',
      "9223372036854775807,1.0,text,x'00ff'",
      `-9223372036854775808,0.1,"",x''`,
      '9007199254740993,1e+300,"say ""hi"", you",',
      '9007199254740991,-Inf,"two\nlines",',
      '',
    ]);
  });

  it('puts an empty line between two results', () => {
    expect(run('SELECT 1 AS a; SELECT 2 AS "b,c"', '--csv')).toBe('a\r\n1\r\n\r\n"b,c"\r\n2\r\n');
  });

  it('does not cut long blobs, and leaves control characters as they are', () => {
    expect(run('SELECT zeroblob(1000) AS a, char(27) AS b', '--csv')).toBe(`a,b\r\nx'${'00'.repeat(1000)}',\x1b\r\n`);
  });
});

describe('a table', () => {
  it('prints exact values, numbers to the right', () => {
    expect(run(VALUES).split('\n')).toEqual([
      '             column1  column2  column3        column4',
      '--------------------  -------  -------------  -------',
      " 9223372036854775807      1.0  text           x'00ff'",
      "-9223372036854775808      0.1                 x''",
      '    9007199254740993   1e+300  say "hi", you  NULL',
      '    9007199254740991     -Inf  two\\nlines     NULL',
      '',
    ]);
  });

  it('aligns wide characters, emoji and combining marks', () => {
    expect(run("VALUES ('日本', 1), ('👩‍👩‍👧', 2), ('e' || char(769), 3), ('ab', 4)")).toBe(
      'column1  column2\n-------  -------\n日本           1\n👩‍👩‍👧             2\ne\u0301              3\nab             4\n',
    );
  });

  it('lets no control character of the data or of a column name through', () => {
    const out = run(`SELECT char(27) || '[31m' || char(155) || char(127) || char(8238) || char(9) AS "a${'\x1b'}]0;b"`);
    expect(out).toBe(`a\\x1b]0;b\n${'-'.repeat(24)}\n\\x1b[31m\\x9b\\x7f\\u202e\\t\n`);
  });

  it('says how long a blob is that it cuts', () => {
    const [, , row] = run('SELECT zeroblob(128) AS a, zeroblob(1000) AS b').split('\n');
    expect(row).toBe(`x'${'00'.repeat(128)}'  x'${'00'.repeat(128)}'… (1000 bytes)`);
  });

  it('does not cut long texts, nor pad a column to them', () => {
    const out = run(`SELECT printf('%.*c', 500, 'x') AS a, 1 AS b UNION ALL SELECT 'y', 2`);
    expect(out).toBe(`a  b\n-  -\n${'x'.repeat(500)}  1\ny  2\n`);
  });

  it('prints the header of an empty result', () => {
    expect(run('SELECT 1 AS a, 2 AS b WHERE 0')).toBe('a  b\n-  -\n');
  });

  it('prints all rows of a result that is larger than its sample', () => {
    const out = run("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 5000) SELECT n, 'é' AS e FROM c");
    const lines = out.trimEnd().split('\n');
    expect(lines).toHaveLength(5002);
    expect(lines.at(-1)).toBe('5000  é');
  });
});
