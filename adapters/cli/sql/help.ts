// What `holdfast sql --help` says below the options.

import { MAX_BLOB } from '../output/limits.ts';

export const SQL_HELP = `
FILE is made only with --create, or when SQL begins with CREATE (PRAGMA, BEGIN and SAVEPOINT may come before).
Statements run one after the other; the first that fails ends the run, and an open transaction is rolled back.

Output
  table  for people. NULL is NULL, control characters are shown as \\n, \\x1b and so on, and a blob of more than
         ${MAX_BLOB} bytes is cut, with its length behind it. Nothing else is cut.
  json   for each statement with a result, an array of objects, one row on a line. Integers beyond 2^53-1 are strings,
         so no reader rounds them. A blob is {"$blob":"hex"}, an infinite real "Infinity" or "-Infinity". A second
         column of one name is called "name:2".
  csv    RFC 4180 with a header; an empty line between two results. NULL is an empty field, the empty text is "",
         a blob is x'hex'. Control characters are left as they are.
  Integers are printed to the last digit, reals with a point or an exponent (1.0 is a real, 1 an integer).

Parameters
  --param VALUE gives the next ?, --param NAME=VALUE gives :NAME, @NAME or $NAME.
  VALUE is an integer (42), a real with a point (1.5, 6.0e23), NULL, a blob (x'00ff') or a text. Quotes make anything
  a text: --param "'42'" --param "name='NULL'". Numbers such as 007 are texts.

At the prompt: .tables, .schema, .help, .quit. Ctrl-C cancels the running statement or clears the line.
Exit status: 0 done, 1 failed, 2 wrong usage.

Examples
  holdfast sql app.db "SELECT * FROM notes WHERE id = ?" --param 7 --json
  holdfast sql new.db < dump.sql
  holdfast sql app.db
`;
