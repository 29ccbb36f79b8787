// How a failure looks on standard error: one line that says what happened and, for SQL, the place in the text.

import { HoldfastError } from '../../core/error.ts';
import { CallError } from './call-error.ts';
import { escapeLine } from './output/escape.ts';
import { stderr } from './output/output.ts';
import { loadWidth, needsWidth, width } from './output/width.ts';
import type { SqlText } from './sql/split.ts';

/** Columns shown on each side of the place of an error. */
const BEFORE = 50;
const AFTER = 25;

/** A failure we foresee, such as a file that does not exist: its message is all there is to say. */
export class PlainFailure extends Error {}

/** A failure together with the statement that met it. */
export class StatementFailure extends Error {
  readonly statement: SqlText;
  constructor(statement: SqlText, cause: unknown) {
    super((cause as Error)?.message, { cause });
    this.statement = statement;
  }
}

export async function reportFailure(error: unknown): Promise<void> {
  const cause = error instanceof StatementFailure ? error.cause : error;
  stderr.write(`holdfast: ${messageOf(cause)}\n`);
  if (error instanceof StatementFailure && cause instanceof HoldfastError && cause.sqlOffset !== undefined)
    stderr.write(await pointAt(error.statement, cause.sqlOffset));
  stderr.flush();
}

function messageOf(cause: unknown): string {
  if (!(cause instanceof Error)) return escapeLine(String(cause));
  // Ours, and the system's, are written for people. Anything else is a fault in this program, to be reported with its trace.
  const foreseen =
    cause instanceof HoldfastError || cause instanceof PlainFailure || cause instanceof CallError || 'syscall' in cause;
  return foreseen ? escapeLine(cause.message) : `internal error: ${cause.stack ?? cause.message}`;
}

/** The line of the statement that holds the byte at `offset`, with a caret under that byte. */
async function pointAt(statement: SqlText, offset: number): Promise<string> {
  const { text, line } = statement;
  const at = Buffer.from(text).subarray(0, offset).toString().length;
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const newline = text.indexOf('\n', at);
  const end = newline < 0 ? text.length : newline;
  const number = line + text.slice(0, start).split('\n').length - 1;
  const label = number > 1 || end < text.length ? `line ${number}: ` : '';
  const from = Math.max(start, at - BEFORE);
  const before = label + (from > start ? '…' : '') + escapeLine(text.slice(from, at));
  const after = escapeLine(text.slice(at, Math.min(end, at + AFTER))) + (end > at + AFTER ? '…' : '');
  if (needsWidth(before)) await loadWidth();
  return `  ${before}${after}\n  ${' '.repeat(width(before))}^\n`;
}
