// How many columns a text takes on a terminal: East Asian wide characters and emoji take two, combining marks none.

const PLAIN = /^[\x20-\x7e]*$/;

let measure: ((text: string) => number) | undefined;

/** True if only the library can tell, and it has not been loaded. */
export function needsWidth(text: string): boolean {
  return measure === undefined && !PLAIN.test(text);
}

/** Loads the library: a third of the time that a short command takes, and most results are plain ASCII. */
export async function loadWidth(): Promise<void> {
  measure ??= (await import('string-width')).default;
}

/** The text must hold no control characters. */
export function width(text: string): number {
  return PLAIN.test(text) || measure === undefined ? text.length : measure(text);
}
