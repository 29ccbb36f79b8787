// Rows as JavaScript sees them: objects, arrays, single values, or objects by table; and what is known of their columns.

import type { Pointer } from '../engine/engine.ts';
import { readCString } from '../engine/strings.ts';
import type { SqlValue, ValueReader } from './values.ts';

/** How rows come out: an object, its first column alone, an array, or an object for each table. */
export type RowMode = 'object' | 'pluck' | 'raw' | 'expand';

/** One column of a result (https://sqlite.org/c3ref/column_database_name.html). */
export interface ColumnDefinition {
  /** The name in the result. */
  name: string;
  /** Where it comes from; null for an expression, or where the engine was built without this knowledge. */
  column: string | null;
  table: string | null;
  database: string | null;
  /** The declared type. */
  type: string | null;
}

type MakeRow = (stmt: Pointer, wide: boolean) => unknown;

/** Columns that come from no table are found under this name in `expand` mode. */
const NO_TABLE = '$';

export function columnNames(reader: ValueReader, stmt: Pointer): string[] {
  const count = reader.c.columnCount(stmt);
  return Array.from({ length: count }, (_, index) => readCString(reader.memory, reader.c.columnName(stmt, index)) ?? '');
}

export function columnDefinitions(reader: ValueReader, stmt: Pointer): ColumnDefinition[] {
  const { c, memory } = reader;
  const ask = (call: ((stmt: Pointer, index: number) => Pointer) | undefined, index: number) =>
    call ? (readCString(memory, call(stmt, index)) ?? null) : null;
  return columnNames(reader, stmt).map((name, index) => ({
    name,
    column: ask(c.columnOriginName, index),
    table: ask(c.columnTableName, index),
    database: ask(c.columnDatabaseName, index),
    type: ask(c.columnDecltype, index),
  }));
}

/** A function that makes one row of the statement's present columns. */
export function rowMaker(reader: ValueReader, stmt: Pointer, mode: RowMode): MakeRow {
  if (mode === 'pluck') return (at, wide) => reader.column(at, 0, wide);
  if (mode === 'raw')
    return (
      compile(
        reader,
        `[${columnNames(reader, stmt)
          .map((_, i) => cell(i))
          .join(',')}]`,
      ) ?? rawMaker(reader)
    );
  if (mode === 'expand') return expandMaker(reader, columnDefinitions(reader, stmt));
  const names = columnNames(reader, stmt);
  // A computed key, since "__proto__": in a literal would set the prototype.
  const fields = names.map((name, index) => `${name === '__proto__' ? '["__proto__"]' : JSON.stringify(name)}:${cell(index)}`);
  return compile(reader, `({${fields.join(',')}})`) ?? objectMaker(reader, names);
}

function cell(index: number): string {
  return `reader.column(stmt,${index},wide)`;
}

/**
 * One literal of a fixed shape is several times faster than setting properties one by one. Where the runtime forbids code
 * from strings (a content security policy), the answer is undefined.
 */
function compile(reader: ValueReader, row: string): MakeRow | undefined {
  try {
    return new Function('reader', `return (stmt, wide) => ${row}`)(reader) as MakeRow;
  } catch {
    return undefined;
  }
}

function rawMaker(reader: ValueReader): MakeRow {
  return (stmt, wide) => {
    const row: SqlValue[] = [];
    for (let index = 0, count = reader.c.columnCount(stmt); index < count; index++) row.push(reader.column(stmt, index, wide));
    return row;
  };
}

function setOwn(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}

function objectMaker(reader: ValueReader, names: readonly string[]): MakeRow {
  return (stmt, wide) => {
    const row = {};
    names.forEach((name, index) => setOwn(row, name, reader.column(stmt, index, wide)));
    return row;
  };
}

function expandMaker(reader: ValueReader, columns: readonly ColumnDefinition[]): MakeRow {
  return (stmt, wide) => {
    const row: Record<string, object> = {};
    columns.forEach(({ table, name }, index) => {
      const key = table ?? NO_TABLE;
      if (!Object.hasOwn(row, key)) setOwn(row, key, {});
      setOwn(row[key] as object, name, reader.column(stmt, index, wide));
    });
    return row;
  };
}
