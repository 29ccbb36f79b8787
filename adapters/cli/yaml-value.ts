// The value of a YAML text that may be hostile: the work and the nesting are bounded before anything is built from it.

import { Composer, Lexer, Parser } from 'yaml';

/** Parts of the text (words, marks, spaces, line ends): a real configuration of 1000 settings has 6000. Work for a second or two. */
const MOST_PARTS = 100_000;
/** Values are built by recursion. When that runs out of stack inside a regular expression, V8 ends the whole process. */
const DEEPEST = 100;

/** Why a text has no value, on one line without a full stop. */
export class NoYaml extends Error {}

/** As the agents read it: YAML 1.1, in which a bare OFF is false, and of a key that is given twice the last counts. @throws NoYaml */
export function yamlValue(text: string): unknown {
  const composer = new Composer({ version: '1.1', logLevel: 'error', uniqueKeys: false });
  const [document, another] = [...composer.compose(tokensOf(text), true, text.length)];
  if (another !== undefined) throw new NoYaml('it holds several documents');
  const [error] = document?.errors ?? [];
  if (error) throw new NoYaml(`it is no YAML: ${error.message}`);
  try {
    return document?.toJS();
  } catch (cause) {
    // Aliases that lead nowhere, or to so much that only an attacker would write them.
    throw new NoYaml(`it is no YAML: ${(cause as Error).message}`);
  }
}

/** The tokens of the text, whose nesting the parser keeps on a stack of its own. */
function* tokensOf(text: string) {
  const parser = new Parser();
  let parts = 0;
  for (const part of new Lexer().lex(text)) {
    if (++parts > MOST_PARTS) throw new NoYaml(`it has more than ${MOST_PARTS} words and marks`);
    yield* parser.next(part);
    if (parser.stack.length > DEEPEST) throw new NoYaml(`it is nested more than ${DEEPEST} deep`);
  }
  yield* parser.end();
}
