// SQL from standard input, statement by statement as it arrives.

import fs from 'node:fs';
import { PlainFailure } from '../report.ts';
import { SqlSplitter, type SqlText } from './split.ts';

const STDIN = 0;
const CHUNK = 65536;
/** Milliseconds until the next look at a non-blocking input that has nothing to read. */
const EMPTY_DELAY = 10;
/** A statement longer than this is looked at again only when it has doubled, or long ones would take quadratic time. */
const LONG_STATEMENT = 1 << 20;
const never = new Int32Array(new SharedArrayBuffer(4));

/** `beforeWaiting` is called each time before the input is read, which may take for ever. */
export function* statementsFromInput(beforeWaiting: () => void): Generator<SqlText> {
  const splitter = new SqlSplitter();
  let collected = '';
  for (const text of textOf(STDIN, beforeWaiting)) {
    collected += text;
    if (splitter.waiting > LONG_STATEMENT && collected.length < splitter.waiting) continue;
    yield* splitter.push(collected);
    collected = '';
  }
  yield* splitter.push(collected);
  yield* splitter.finish();
}

function* textOf(fd: number, beforeWaiting: () => void): Generator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const buffer = Buffer.allocUnsafe(CHUNK);
  try {
    for (;;) {
      beforeWaiting();
      const count = read(fd, buffer);
      yield decoder.decode(buffer.subarray(0, count), { stream: count > 0 });
      if (count === 0) return;
    }
  } catch (error) {
    if (error instanceof TypeError) throw new PlainFailure('the SQL on standard input is not valid UTF-8');
    throw error;
  }
}

function read(fd: number, buffer: Buffer): number {
  for (;;) {
    try {
      return fs.readSync(fd, buffer, 0, buffer.length, null);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw new PlainFailure(`standard input could not be read: ${message}`);
      Atomics.wait(never, 0, 0, EMPTY_DELAY);
    }
  }
}
