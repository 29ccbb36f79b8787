// Standard output and error, written synchronously: complete when the process ends, and never more than a block in memory.

import fs from 'node:fs';

/** Characters collected before they are written. */
const BLOCK = 65536;
/** Milliseconds until the next try when a non-blocking terminal or pipe is full. */
const FULL_DELAY = 5;
const never = new Int32Array(new SharedArrayBuffer(4));

export class Output {
  readonly #fd: number;
  readonly #what: string;
  readonly #block: number;
  #text = '';
  #closed = false;

  constructor(fd: number, what: string, block: number) {
    this.#fd = fd;
    this.#what = what;
    this.#block = block;
  }

  /** True once the reader has gone (`| head`): what is written from then on is thrown away. */
  get closed(): boolean {
    return this.#closed;
  }

  write(text: string): void {
    this.#text += text;
    if (this.#text.length >= this.#block) this.flush();
  }

  flush(): void {
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    for (let at = 0; at < bytes.length && !this.#closed; ) at += this.#send(bytes, at);
  }

  #send(bytes: Buffer, at: number): number {
    try {
      return fs.writeSync(this.#fd, bytes, at);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') this.#closed = true;
      else if (code === 'EAGAIN') Atomics.wait(never, 0, 0, FULL_DELAY);
      else throw Object.assign(new Error(`${this.#what} could not be written: ${message}`), { code, syscall: 'write' });
      return 0;
    }
  }
}

export const stdout = new Output(1, 'standard output', BLOCK);
/** Not collected: what goes wrong is told at once. */
export const stderr = new Output(2, 'standard error', 1);
