// From lines as they are typed to requests: statements when they are complete, and commands that begin with a dot.

import { SqlSplitter } from '../sql/split.ts';
import type { Request } from './messages.ts';

/** What a line led to. */
export type Read = Request | { help: true } | { quit: true } | { unknown: string } | undefined;

export class LineReader {
  #splitter = new SqlSplitter();

  /** True if a statement has begun and goes on in the next line. */
  get continues(): boolean {
    return this.#splitter.pending;
  }

  read(line: string): Read {
    if (!this.continues && line.trimStart().startsWith('.')) return command(line.trim());
    const statements = this.#splitter.push(`${line}\n`);
    return statements.length === 0 ? undefined : { statements: statements.map(({ text }) => text) };
  }

  /** Forgets the statement that has begun. */
  clear(): void {
    this.#splitter = new SqlSplitter();
  }
}

function command(line: string): Read {
  const [, name = '', argument = ''] = /^(\S+)\s*(.*)$/.exec(line) ?? [];
  switch (name) {
    case '.tables':
    case '.schema':
      return { command: name, argument };
    case '.help':
      return { help: true };
    case '.quit':
    case '.exit':
      return { quit: true };
    default:
      return { unknown: name };
  }
}
