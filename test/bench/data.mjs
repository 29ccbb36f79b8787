// The rows, documents and large values: made up, but the same ones at every run, so that every result can be checked.

export const ITEMS = 100_000;
export const DOCUMENTS = 20_000;
export const LARGE_VALUES = 16;
export const LARGE_BYTES = 1 << 20;

const VOCABULARY = 5000;
const WORDS_OF_A_BODY = 30;
const SYLLABLES = ['ka', 'lo', 'mi', 'ter', 'sun', 'ba', 'ro', 'ven', 'ti', 'sha', 'del', 'qu', 'or', 'ep', 'um', 'fin'];
const NAMES = ['Ada Lovelace', 'Jürgen Groß', 'Grace Hopper', 'José Núñez', 'Katherine Johnson', 'Radia Perlman', 'Åsa Öberg'];

/** Numbers from 0 to 1, the same after the same seed (mulberry32). */
export function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Rows of [integer, text, real, blob]. */
export function makeItems(count = ITEMS) {
  const random = randomFrom(1);
  return Array.from({ length: count }, (_, index) => {
    const name = flat(`${NAMES[index % NAMES.length]} ${Math.floor(random() * 1e6)}`);
    return [index + 1, name, random() * 1000 + 0.5, randomBytes(16, random)];
  });
}

/** Rows of [id, title, body]; a few words are frequent and most are rare, as in language. */
export function makeDocuments() {
  const random = randomFrom(2);
  const word = () => wordAt(Math.floor(VOCABULARY * random() ** 3));
  const words = (count) => flat(Array.from({ length: count }, word).join(' '));
  return Array.from({ length: DOCUMENTS }, (_, index) => [index + 1, words(4), words(WORDS_OF_A_BODY)]);
}

/** The word of this rank; all differ, because the rank is spelled in syllables of which none begins another. */
export function wordAt(rank) {
  let text = '';
  for (let rest = rank + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    text += SYLLABLES[rest % SYLLABLES.length];
  return text;
}

/** Texts of 1 MB in UTF-8, every other one with characters beyond ASCII. */
export function makeLargeTexts() {
  const line = (index) =>
    index % 2 ? `Zeile ${index}: größer, schöner, 漢字, 🦊 und so weiter.\n` : `line ${index}: plain text.\n`;
  return Array.from({ length: LARGE_VALUES }, (_, index) => {
    const text = line(index).repeat(LARGE_BYTES / 16);
    return new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, LARGE_BYTES)).replaceAll('\ufffd', '');
  });
}

export function makeLargeBlobs() {
  const random = randomFrom(3);
  return Array.from({ length: LARGE_VALUES }, () => randomBytes(LARGE_BYTES, random));
}

function randomBytes(length, random) {
  const words = new Uint32Array(length / 4);
  for (let index = 0; index < words.length; index++) words[index] = random() * 4294967296;
  return new Uint8Array(words.buffer);
}

/** The text in one piece of memory, so that nobody pays for joining what string concatenation left in pieces. */
function flat(text) {
  return Buffer.from(text).toString();
}
