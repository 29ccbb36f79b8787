// Results as a table for people: columns as wide as their first rows need, later rows printed as they come.

import type { SqlValue } from '../../../core/database/values.ts';
import { escapeLine } from './escape.ts';
import type { Format, ResultPrinter } from './format.ts';
import { MAX_BLOB } from './limits.ts';
import type { Output } from './output.ts';
import { blobText, isNumber, realText } from './values.ts';
import { loadWidth, needsWidth, width } from './width.ts';

/** Rows and characters looked at before the widths are settled; what comes after is not held in memory. */
const SAMPLE_ROWS = 1000;
const SAMPLE_CHARACTERS = 1 << 20;
/** Longer cells are printed whole, but the rest of their column is not padded to them. */
const MAX_PAD = 80;
const GAP = '  ';

export class TableFormat implements Format {
  readonly #out: Output;
  #first = true;

  constructor(out: Output) {
    this.#out = out;
  }

  begin(columns: readonly string[]): ResultPrinter {
    if (!this.#first) this.#out.write('\n');
    this.#first = false;
    return new TablePrinter(this.#out, columns.map(escapeLine));
  }
}

class TablePrinter implements ResultPrinter {
  readonly #out: Output;
  readonly #header: string[];
  readonly #numeric: (boolean | undefined)[];
  #sample: string[][] | undefined = [];
  #characters = 0;
  #widths: number[] = [];

  constructor(out: Output, header: string[]) {
    this.#out = out;
    this.#header = header;
    this.#numeric = header.map(() => undefined);
  }

  row(values: readonly SqlValue[]): Promise<void> | undefined {
    const cells = values.map(cell);
    if (this.#sample === undefined) return this.#print([cells]);
    values.forEach((value, column) => {
      if (value !== null) this.#numeric[column] = (this.#numeric[column] ?? true) && isNumber(value);
    });
    this.#sample.push(cells);
    for (const text of cells) this.#characters += text.length;
    const settled = this.#sample.length >= SAMPLE_ROWS || this.#characters >= SAMPLE_CHARACTERS;
    return settled ? this.#settle() : undefined;
  }

  end(): Promise<void> | undefined {
    return this.#sample && this.#settle();
  }

  broken(): Promise<void> | undefined {
    return this.#sample?.length ? this.#settle() : undefined;
  }

  async #settle(): Promise<void> {
    const rows = this.#sample as string[][];
    this.#sample = undefined;
    if ([this.#header, ...rows].some((cells) => cells.some(needsWidth))) await loadWidth();
    this.#widths = this.#header.map((name, column) => {
      let widest = width(name);
      for (const cells of rows) {
        const own = width(cells[column] ?? '');
        if (own > widest && own <= MAX_PAD) widest = own;
      }
      return widest;
    });
    const rule = this.#widths.map((own) => '-'.repeat(Math.max(1, own)));
    await this.#print([this.#header, rule, ...rows]);
  }

  #print(rows: string[][]): Promise<void> | undefined {
    if (rows.some((cells) => cells.some(needsWidth))) return loadWidth().then(() => this.#print(rows));
    for (const cells of rows) this.#out.write(`${this.#line(cells)}\n`);
    return undefined;
  }

  #line(cells: string[]): string {
    const last = cells.length - 1;
    const padded = cells.map((text, column) => {
      const missing = Math.max(0, (this.#widths[column] ?? 0) - width(text));
      if (this.#numeric[column]) return ' '.repeat(missing) + text;
      return column === last ? text : text + ' '.repeat(missing);
    });
    return padded.join(GAP);
  }
}

function cell(value: SqlValue): string {
  if (value === null) return 'NULL';
  switch (typeof value) {
    case 'bigint':
      return String(value);
    case 'number':
      return realText(value);
    case 'string':
      return escapeLine(value);
    default:
      return value.length <= MAX_BLOB ? blobText(value) : `${blobText(value.subarray(0, MAX_BLOB))}… (${value.length} bytes)`;
  }
}
