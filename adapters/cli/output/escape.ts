// Keeps data from commanding the terminal: control characters and invisible changes of direction become visible escapes.

/**
 * C0 and C1 controls (ESC and CSI among them), the marks that reorder text, line and paragraph separators, and lone
 * surrogates, which are no characters.
 */
const UNSAFE = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Cs}/gu;
const SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text on one line, safe to print. */
export function escapeLine(text: string): string {
  return text.replace(UNSAFE, escaped);
}

/** As escapeLine, but lines stay lines. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeLine).join('\n');
}

function escaped(character: string): string {
  const short = SHORT[character];
  if (short) return short;
  const hex = (character.codePointAt(0) as number).toString(16);
  return hex.length <= 2 ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`;
}
