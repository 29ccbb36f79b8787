// One JSON document, as commands print it with --json: nothing is left out, and nothing in it commands a terminal.

/** Allowed raw in JSON, but not on a terminal or in a script. */
const UNSAFE = /[\x7f-\x9f\u2028\u2029]/g;

/** Indented, with a final newline. What is undefined is null, so that every document of a command has the same keys. */
export function jsonDocument(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) => inner ?? null, 2);
  return `${text.replace(UNSAFE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}
