// Results as CSV: a header, then one record a row, with CRLF and quotes as RFC 4180 has them.
//
// Source: https://www.rfc-editor.org/rfc/rfc4180

import type { SqlValue } from '../../../core/database/values.ts';
import type { Format, ResultPrinter } from './format.ts';
import type { Output } from './output.ts';
import { blobText, realText } from './values.ts';

const END = '\r\n';

export class CsvFormat implements Format {
  readonly #out: Output;
  #first = true;

  constructor(out: Output) {
    this.#out = out;
  }

  begin(columns: readonly string[]): ResultPrinter {
    const out = this.#out;
    // An empty line between two results, since each has columns of its own.
    out.write((this.#first ? '' : END) + columns.map(field).join(',') + END);
    this.#first = false;
    return {
      row(values) {
        out.write(values.map(cell).join(',') + END);
        return undefined;
      },
      end: () => undefined,
    };
  }
}

/** NULL is nothing at all, so the empty text has quotes. */
function cell(value: SqlValue): string {
  if (value === null) return '';
  switch (typeof value) {
    case 'bigint':
      return String(value);
    case 'number':
      return realText(value);
    case 'string':
      return field(value);
    default:
      return blobText(value);
  }
}

function field(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
