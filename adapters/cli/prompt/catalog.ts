// What .tables and .schema print.

import type { Database } from '../../../core/database/database.ts';
import { escapeLine, escapeLines } from '../output/escape.ts';
import type { Output } from '../output/output.ts';

const TABLES = `SELECT iif(schema = 'main', '', schema || '.') || name FROM pragma_table_list
  WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND type IN ('table', 'view', 'virtual') AND name LIKE ? ORDER BY 1`;

/** Names of tables and views, one a line; `pattern` is one for LIKE. */
export function printTables(db: Database, out: Output, pattern: string): void {
  for (const name of db
    .prepare(TABLES)
    .pluck()
    .iterate(pattern || '%'))
    out.write(`${escapeLine(String(name))}\n`);
}

/** The statements that made each table, index, view and trigger; `pattern` is one for LIKE and the name of a table. */
export function printSchema(db: Database, out: Output, pattern: string): void {
  const schemas = db.prepare('SELECT name FROM pragma_database_list ORDER BY seq').pluck().all() as string[];
  for (const schema of schemas) {
    const statements = db.prepare(
      `SELECT sql FROM ${quoted(schema)}.sqlite_schema WHERE sql IS NOT NULL AND tbl_name LIKE ? ORDER BY rowid`,
    );
    for (const sql of statements.pluck().iterate(pattern || '%')) {
      if (schema !== 'main') out.write(`-- in ${escapeLine(schema)}\n`);
      out.write(`${escapeLines(String(sql))};\n`);
    }
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
