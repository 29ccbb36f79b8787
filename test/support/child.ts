// A child process that talks in lines: send one, wait for the next, kill it, wait for its end.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface Child {
  readonly pid: number;
  send(line: string): void;
  /** No more lines will come. A Node child that reads its input does not end before. */
  endInput(): void;
  /** The next line of its output. Fails, with what it complained of, if it ends before. */
  line(): Promise<string>;
  /** All lines that were not yet taken; to be asked for after its end. */
  rest(): Promise<string[]>;
  kill(): Promise<void>;
  /** Its exit status, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** What it wrote to its standard error so far. */
  complaints(): string;
}

export function startChild(command: string[], env: NodeJS.ProcessEnv = {}): Child {
  const [file, ...parameters] = command as [string, ...string[]];
  const child = spawn(file, parameters, { env: { ...process.env, NODE_NO_WARNINGS: '1', ...env } });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  // A child that was killed cannot read any more; its end is noticed by `ended`.
  child.stdin.on('error', () => {});
  const ended = once(child, 'close').then(
    ([status, signal]) => (status ?? signal) as number | string,
    (error: Error) => error.message,
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? -1,
    ended,
    complaints: () => complaints,
    send: (line) => void child.stdin.write(`${line}\n`),
    endInput: () => void child.stdin.end(),
    line: async () => {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${command.join(' ')} ended (${await ended}) without an answer. ${complaints}`);
      return value;
    },
    rest: async () => {
      const left: string[] = [];
      for (let next = await lines.next(); !next.done; next = await lines.next()) left.push(next.value);
      return left;
    },
    kill: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
}
