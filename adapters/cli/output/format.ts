// What the three forms of output have in common, and which is which.

import type { SqlValue } from '../../../core/database/values.ts';
import type { Output } from './output.ts';

export const FORMATS = ['table', 'json', 'csv'] as const;
export type FormatName = (typeof FORMATS)[number];

/** Prints results one after the other. */
export interface Format {
  /** Begins a result with these columns. */
  begin(columns: readonly string[]): ResultPrinter;
}

/** Prints one result, row by row. A promise is for the rare case that something must be loaded first. */
export interface ResultPrinter {
  row(values: readonly SqlValue[]): Promise<void> | undefined;
  end(): Promise<void> | undefined;
  /** The statement failed on the way: what was held back of its rows is printed, and nothing that looks like an end. */
  broken?(): Promise<void> | undefined;
}

export async function makeFormat(name: FormatName, out: Output): Promise<Format> {
  switch (name) {
    case 'json':
      return new (await import('./json.ts')).JsonFormat(out);
    case 'csv':
      return new (await import('./csv.ts')).CsvFormat(out);
    case 'table':
      return new (await import('./table.ts')).TableFormat(out);
  }
}
