// The command line before it is parsed: arguments that did not survive the way to us, and SQL that looks like an option.

import fs from 'node:fs';

/** What stands in a string for bytes that were not UTF-8. */
const REPLACEMENT = '\ufffd';
/** Options that take the next argument as their value, whatever it looks like. */
const WITH_VALUE = new Set(['--param', '--timeout', '--locking']);

/**
 * The runtime decodes arguments as UTF-8 and replaces what is not, so that a name of other bytes would be the name of another
 * file. Answers what is wrong, if anything.
 */
export function unreadableArgument(argv: readonly string[]): string | undefined {
  const suspect = argv.find((argument) => argument.includes(REPLACEMENT));
  if (suspect === undefined || isGenuine(suspect)) return undefined;
  return `the argument '${suspect}' is not valid UTF-8; files with such names can be reached through a symbolic link`;
}

function isGenuine(argument: string): boolean {
  let bytes: Buffer;
  try {
    bytes = fs.readFileSync('/proc/self/cmdline');
  } catch {
    // Where the bytes cannot be had, the name of an existing file is believed.
    return fs.existsSync(argument);
  }
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** SQL may begin with a comment. No option has a space in its name, so such an argument gets a harmless newline in front. */
export function protectSql(argv: readonly string[]): string[] {
  let literal = false;
  return argv.map((argument, index) => {
    literal ||= argument === '--';
    const isValue = WITH_VALUE.has(argv[index - 1] ?? '');
    return !literal && !isValue && /^--[^\s=]*\s/.test(argument) ? `\n${argument}` : argument;
  });
}
