// The second process of a probe on one side: this program once more, which meets us in the folder.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** For its last words, after the trials. */
const END_LIMIT = 5000;

export class SecondProcess {
  /** Says why, if it could not be started or ended with a failure. */
  readonly failed: Promise<string>;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(directory: string, meeting: string) {
    const script = process.argv[1] ?? '';
    const parameters = [...process.execArgv, script, 'probe', directory, '--second', meeting];
    const child = spawn(process.execPath, parameters, { stdio: ['ignore', 'ignore', 'pipe'] });
    let complaints = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints += text;
    });
    this.failed = new Promise((resolve) => {
      child.on('error', (error) => resolve(`The second process could not be started: ${error.message}`));
      child.on('close', (status, signal) => {
        if (status !== 0)
          resolve(`The second process ended with ${signal ?? `status ${status}`}: ${complaints.trim() || 'it said nothing'}`);
      });
    });
    this.#child = child;
    this.#ended = once(child, 'close').catch(() => {});
  }

  /** Waits for its end, and brings it about if it takes too long. */
  async end(): Promise<void> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_LIMIT);
    await this.#ended;
    clearTimeout(timer);
  }

  /** It cleans up before it ends. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.end();
  }
}
