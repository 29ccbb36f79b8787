// The prompt: reads lines, shows where one is, cancels what runs, and leaves the work to a thread.

import readline from 'node:readline';
import tty from 'node:tty';
import { Worker } from 'node:worker_threads';
import { escapeLine } from '../output/escape.ts';
import type { SqlOptions } from '../sql/options.ts';
import { ownVersion } from '../version.ts';
import { HISTORY_SIZE, History, historyFile } from './history.ts';
import type { Answer, Request, Start } from './messages.ts';
import { LineReader } from './reader.ts';

const HELP = `A statement runs when it is complete, with its semicolon; it may take several lines.
.tables [PATTERN]  names of tables and views
.schema [PATTERN]  the SQL that made them
.help              this text
.quit              leave (so does Ctrl-D); an open transaction is rolled back
Ctrl-C             cancels the running statement, or clears what was typed
`;
const CANCELLING_AGAIN = 'Still waiting for the statement to stop; Ctrl-C once more ends the program.\n';

/** Answers the exit status. */
export function runPrompt(file: string, options: SqlOptions): Promise<number> {
  return new Promise((resolve) => new Prompt(file, options, resolve));
}

class Prompt {
  readonly #interrupt = new Int32Array(new SharedArrayBuffer(4));
  readonly #history = new History(historyFile());
  readonly #reader = new LineReader();
  readonly #waiting: string[] = [];
  readonly #worker: Worker;
  readonly #lines: readline.Interface;
  readonly #screen: NodeJS.WriteStream;
  #running = true;
  #inTransaction = false;
  #cancels = 0;
  /** The input has ended, or the user wants to leave. */
  #ending = false;
  #status = 0;

  constructor(file: string, options: SqlOptions, done: (status: number) => void) {
    // Results may go into a file; the dialogue stays on the terminal.
    this.#screen = tty.isatty(1) ? process.stdout : process.stderr;
    const history = this.#history.load();
    const { stdin: input } = process;
    this.#lines = readline.createInterface({ input, output: this.#screen, terminal: true, history, historySize: HISTORY_SIZE });
    this.#lines.on('line', (line) => this.#typed(line));
    this.#lines.on('SIGINT', () => this.#cancel());
    this.#lines.on('close', () => this.#leave());
    process.on('SIGINT', () => this.#cancel());
    const workerData: Start = { file, options, interrupt: this.#interrupt };
    this.#worker = new Worker(new URL('./prompt-thread.js', import.meta.url), { workerData });
    this.#worker.on('message', (answer: Answer) => this.#answered(answer, file));
    this.#worker.on('error', (error) => this.#say(`holdfast: ${escapeLine(error.message)}\n`, 1));
    this.#worker.on('exit', () => {
      this.#ending = true;
      this.#lines.close();
      process.removeAllListeners('SIGINT');
      done(this.#status);
    });
  }

  #say(text: string, status = this.#status): void {
    this.#status = status;
    this.#screen.write(text);
  }

  #answered(answer: Answer, file: string): void {
    if ('failed' in answer) {
      this.#status = 1;
      return;
    }
    if ('opened' in answer)
      this.#say(`Holdfast ${ownVersion()}, SQLite ${answer.opened}, ${escapeLine(file)}\n".help" tells what can be typed.\n`);
    else this.#inTransaction = answer.inTransaction;
    this.#running = false;
    this.#cancels = 0;
    Atomics.store(this.#interrupt, 0, 0);
    this.#proceed();
  }

  #typed(line: string): void {
    this.#history.add(line);
    this.#waiting.push(line);
    if (!this.#running) this.#proceed();
  }

  /** Works off the lines that wait, until one of them gives the thread something to do. */
  #proceed(): void {
    while (!this.#running && this.#waiting.length > 0) this.#take(this.#waiting.shift() as string);
    if (this.#running) return;
    if (this.#ending) this.#send({ end: true });
    else this.#showPrompt();
  }

  #take(line: string): void {
    const read = this.#reader.read(line);
    if (read === undefined) return;
    if ('help' in read) this.#say(HELP);
    else if ('unknown' in read) this.#say(`There is no command ${escapeLine(read.unknown)}; ".help" lists them.\n`);
    else if ('quit' in read) this.#lines.close();
    else this.#send(read);
  }

  #send(request: Request): void {
    this.#running = true;
    this.#worker.postMessage(request);
  }

  #showPrompt(): void {
    const name = this.#inTransaction ? 'holdfast*> ' : 'holdfast> ';
    this.#lines.setPrompt(this.#reader.continues ? '...> '.padStart(name.length) : name);
    this.#lines.prompt();
  }

  #cancel(): void {
    if (!this.#running) {
      this.#reader.clear();
      // To the end of the line, then away with everything before: what is left is an empty line.
      this.#lines.write(null, { ctrl: true, name: 'e' });
      this.#lines.write(null, { ctrl: true, name: 'u' });
      this.#say('^C\n');
      this.#showPrompt();
      return;
    }
    this.#waiting.length = 0;
    this.#cancels++;
    Atomics.store(this.#interrupt, 0, 1);
    Atomics.notify(this.#interrupt, 0);
    if (this.#cancels === 2) this.#say(CANCELLING_AGAIN);
    // The kernel drops the locks, and the next one to open the file rolls back.
    if (this.#cancels > 2) process.exit(1);
  }

  #leave(): void {
    if (this.#ending) return;
    this.#ending = true;
    if (this.#reader.continues || this.#lines.line !== '') this.#say('\n');
    this.#waiting.length = 0;
    if (!this.#running) this.#send({ end: true });
  }
}
