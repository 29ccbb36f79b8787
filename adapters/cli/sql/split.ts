// Cuts a script into its statements, also while it is still arriving: tells when a statement is complete.
//
// Source: the rules of sqlite3_complete (https://sqlite.org/c3ref/complete.html): a statement ends at a semicolon, and a
// CREATE TRIGGER at the semicolon behind an END that itself follows a semicolon.

import { type TokenKind, tokenAt } from './tokens.ts';

/** One statement and what was seen in it. */
export interface SqlText {
  /** From its first token on; with its semicolon, if it has one. */
  text: string;
  /** Number of the line that it begins on, from 1. */
  line: number;
  /** Its first words, in capitals. */
  head: readonly string[];
  /** How many values `?` and `?NNN` need. */
  positional: number;
  /** Names of the other parameters, without the character before them. */
  named: readonly string[];
}

/** Enough to know EXPLAIN QUERY PLAN CREATE TEMPORARY TRIGGER. */
const HEAD_WORDS = 6;
const CREATE_TRIGGER = /^(EXPLAIN (QUERY PLAN )?)?CREATE (TEMP |TEMPORARY )?TRIGGER$/;

export class SqlSplitter {
  /** What is not given out yet. */
  #text = '';
  /** Everything before it has been looked at. */
  #at = 0;
  /** Where the statement in hand begins; undefined before its first token. */
  #start: number | undefined;
  #seen = new Seen();
  /** The text ends within a token, which may turn out to be a comment. */
  #unfinished = false;
  /** Number of the line that the character at #lineAt stands on. */
  #line = 1;
  #lineAt = 0;

  /** Characters waiting for the end of their statement. */
  get waiting(): number {
    return this.#text.length - (this.#start ?? this.#at);
  }

  /** True if a statement, or a comment, has begun and not ended. */
  get pending(): boolean {
    return this.#start !== undefined || this.#unfinished;
  }

  /** Takes more text; answers the statements that it completes. */
  push(more: string): SqlText[] {
    this.#text += more;
    const statements = this.#scan(false);
    this.#forget();
    return statements;
  }

  /** No more text comes: answers what is left, complete or not, and is ready for another script. */
  finish(): SqlText[] {
    const rest = this.#scan(true);
    if (this.#start !== undefined) rest.push(this.#take(this.#text.length));
    this.#text = '';
    this.#seen = new Seen();
    this.#at = 0;
    this.#line = 1;
    this.#lineAt = 0;
    return rest;
  }

  #scan(final: boolean): SqlText[] {
    const statements: SqlText[] = [];
    this.#unfinished = false;
    while (this.#at < this.#text.length) {
      const begin = this.#at;
      const { kind, end, open } = tokenAt(this.#text, begin);
      // A token that reaches the end may go on in the next piece of text; only a semicolon cannot.
      const unsure = end === this.#text.length && kind !== 'semicolon' && !final;
      if (unsure) {
        this.#unfinished = open || kind !== 'space';
        break;
      }
      this.#at = end;
      if (kind === 'space') continue;
      if (kind !== 'semicolon') this.#start ??= begin;
      const word = kind === 'word' || kind === 'variable' ? this.#text.slice(begin, end) : '';
      if (!this.#seen.endsStatement(kind, word)) continue;
      // A semicolon that ends nothing is left out.
      if (this.#start !== undefined) statements.push(this.#take(end));
      this.#seen = new Seen();
    }
    return statements;
  }

  /** Gives out the statement in hand. */
  #take(end: number): SqlText {
    const start = this.#start as number;
    this.#countLines(start);
    const { head, positional, named } = this.#seen;
    const text = this.#text.slice(start, end);
    this.#start = undefined;
    return { text, line: this.#line, head, positional, named };
  }

  #countLines(until: number): void {
    for (let at = this.#text.indexOf('\n', this.#lineAt); at >= 0 && at < until; at = this.#text.indexOf('\n', at + 1))
      this.#line++;
    this.#lineAt = until;
  }

  /** Lets go of what was given out. */
  #forget(): void {
    const keep = this.#start ?? this.#at;
    this.#countLines(keep);
    this.#text = this.#text.slice(keep);
    this.#at -= keep;
    this.#lineAt = 0;
    if (this.#start !== undefined) this.#start = 0;
  }
}

/** All statements of a whole script. */
export function splitScript(script: string): SqlText[] {
  const splitter = new SqlSplitter();
  return [...splitter.push(script), ...splitter.finish()];
}

/** What the tokens of one statement have told. */
class Seen {
  readonly head: string[] = [];
  readonly #variables = new Set<string>();
  #headIsComplete = false;
  #isTrigger = false;
  /** The last two tokens: S semicolon, E the word END, - any other. */
  #last = '--';
  /** The number that SQLite gives to the last parameter (https://sqlite.org/lang_expr.html#varparam). */
  #highest = 0;

  get positional(): number {
    return this.#highest - this.#variables.size;
  }

  get named(): string[] {
    return [...new Set([...this.#variables].map((variable) => variable.slice(1)))];
  }

  /** Takes the next token; true if it is the semicolon that ends the statement. */
  endsStatement(kind: TokenKind, text: string): boolean {
    if (kind === 'variable') this.#addVariable(text);
    const word = kind === 'word' ? text.toUpperCase() : '';
    this.#addToHead(word);
    const ends = kind === 'semicolon' && (!this.#isTrigger || this.#last === 'SE');
    this.#last = this.#last.slice(1) + (kind === 'semicolon' ? 'S' : word === 'END' ? 'E' : '-');
    return ends;
  }

  #addToHead(word: string): void {
    if (this.#headIsComplete) return;
    if (word === '' || this.head.length === HEAD_WORDS) this.#headIsComplete = true;
    else this.head.push(word);
    this.#isTrigger ||= CREATE_TRIGGER.test(this.head.join(' '));
  }

  #addVariable(text: string): void {
    if (text === '?') this.#highest++;
    else if (text.startsWith('?')) this.#highest = Math.max(this.#highest, Number(text.slice(1)));
    else if (!this.#variables.has(text)) {
      this.#variables.add(text);
      this.#highest++;
    }
  }
}
