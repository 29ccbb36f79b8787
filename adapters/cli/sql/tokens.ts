// The tokens of SQL, as far as one must tell them apart to know where a statement ends and which parameters it has.
//
// Source: sqlite3GetToken in https://sqlite.org/src/file/src/tokenize.c

export type TokenKind = 'space' | 'semicolon' | 'word' | 'variable' | 'other';

export interface Token {
  kind: TokenKind;
  /** Where the next token begins. */
  end: number;
  /** A string, quoted name or comment that its text ends without having closed. */
  open: boolean;
}

const SPACE = /[ \t\n\f\r\ufeff]+/y;
const WORD = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*/y;
const NUMBER = /[0-9.][A-Za-z0-9_.$\u0080-\uffff]*/y;
const QUESTION = /\?[0-9]*/y;
/** The part in parentheses and the double colons are for Tcl. */
const VARIABLE = /[$@:#](?:[A-Za-z0-9_$\u0080-\uffff]|::)+(?:\([^)\s]*\)?)?/y;

/** The token that begins at `at`, which is before the end of `text`. */
export function tokenAt(text: string, at: number): Token {
  switch (text[at]) {
    case ';':
      return { kind: 'semicolon', end: at + 1, open: false };
    case "'":
    case '"':
    case '`':
      return quoted(text, at);
    case '[':
      return upTo(text, at + 1, ']', 'other');
    case '-':
      if (text[at + 1] === '-') return lineComment(text, at);
      break;
    case '/':
      if (text[at + 1] === '*') return upTo(text, at + 2, '*/', 'space');
      break;
  }
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = at;
    if (pattern.test(text)) return { kind, end: pattern.lastIndex, open: false };
  }
  return { kind: 'other', end: at + 1, open: false };
}

const PATTERNS: readonly (readonly [TokenKind, RegExp])[] = [
  ['space', SPACE],
  ['word', WORD],
  ['other', NUMBER],
  ['variable', QUESTION],
  ['variable', VARIABLE],
];

/** Inside quotes the quote itself is written twice. */
function quoted(text: string, at: number): Token {
  const quote = text[at] as string;
  let end = at;
  do end = text.indexOf(quote, end + 1) + 1;
  while (end > 0 && text[end] === quote);
  return end > 0 ? { kind: 'other', end, open: false } : { kind: 'other', end: text.length, open: true };
}

function upTo(text: string, from: number, closing: string, kind: TokenKind): Token {
  const found = text.indexOf(closing, from);
  return found < 0 ? { kind, end: text.length, open: true } : { kind, end: found + closing.length, open: false };
}

function lineComment(text: string, at: number): Token {
  const newline = text.indexOf('\n', at);
  return { kind: 'space', end: newline < 0 ? text.length : newline + 1, open: false };
}
