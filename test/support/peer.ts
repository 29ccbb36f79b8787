// Somebody who uses databases at our request: native SQLite or ourselves, in this thread, in a worker or in another process.

import { Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';
import type { OpenOptions } from '../../core/database/options.ts';
import { startChild } from './child.ts';
import { bundleUrl, currentRuntime, openSync, type RuntimeCommand } from './runtimes.ts';
import { makeServer } from './serve-requests.mjs';
import { supportFile } from './support-file.ts';

export interface Request {
  op: 'open' | 'run' | 'script' | 'close' | 'serialize' | 'residentBytes' | 'rawRead' | 'die';
  name?: string;
  path?: string;
  options?: OpenOptions;
  sql?: string;
  values?: (string | number | null)[];
}

/** `code` is `ok` or the name of the error; the rest is what the error said. */
export interface Answer {
  code: string;
  // biome-ignore lint/suspicious/noExplicitAny: rows of any statement, or a number.
  rows?: any;
  message?: string;
  type?: string;
  resultCode?: number;
  errno?: string;
  path?: string;
  syscall?: string;
  mount?: { mountPoint: string; fsType: string };
  lock?: string;
  holderPid?: number;
  waitedMs?: number;
}

/** Asks and answers, one at a time. Ends by itself when the test is finished. */
export class Peer {
  readonly ask: (request: Request) => Promise<Answer>;
  /** Of the process or worker; settles when it is gone. */
  readonly end: () => Promise<void>;
  readonly pid: number;

  constructor(pid: number, ask: (request: Request) => Promise<Answer>, end: () => Promise<void>) {
    this.pid = pid;
    this.ask = ask;
    this.end = end;
    onTestFinished(end);
  }

  /** Opens `path` as `name`; throws if that fails. */
  async open(path: string, options: OpenOptions = {}, name = 'db'): Promise<void> {
    demandOk(await this.ask({ op: 'open', name, path, options }), `opening ${path}`);
  }

  async close(name = 'db'): Promise<void> {
    demandOk(await this.ask({ op: 'close', name }), `closing ${name}`);
  }

  /** Runs one statement; the answer is its rows, or the name of its error. */
  async try(sql: string, name = 'db'): Promise<unknown> {
    const answer = await this.ask({ op: 'run', name, sql });
    return answer.code === 'ok' ? answer.rows : answer.code;
  }

  /** Runs one statement that must not fail, and answers its rows. */
  async rows(sql: string, name = 'db'): Promise<unknown[][]> {
    return demandOk(await this.ask({ op: 'run', name, sql }), sql).rows;
  }

  /** Runs statements that must not fail. */
  async script(sql: string, name = 'db'): Promise<void> {
    demandOk(await this.ask({ op: 'script', name, sql }), sql);
  }
}

function demandOk(answer: Answer, doing: string): Answer {
  if (answer.code !== 'ok') throw new Error(`${doing}: ${answer.code}: ${answer.message}`);
  return answer;
}

/** Python's sqlite3 in a process of its own. */
export function nativePeer(python: string, before: string[] = []): Peer {
  return processPeer([...before, python, '-u', supportFile('native-peer.py')]);
}

/** Holdfast in a process of its own, by default of the runtime that runs this test. */
export function oursPeer(runtime: RuntimeCommand = currentRuntime, before: string[] = [], env: NodeJS.ProcessEnv = {}): Peer {
  return processPeer([...before, ...runtime.command, supportFile('ours-peer.mjs'), bundleUrl(runtime.name)], env);
}

function processPeer(command: string[], env: NodeJS.ProcessEnv = {}): Peer {
  const child = startChild(command, env);
  const ask = async (request: Request) => {
    child.send(JSON.stringify(request));
    return JSON.parse(await child.line()) as Answer;
  };
  return new Peer(child.pid, ask, child.kill);
}

/** Holdfast in a worker thread of this process. */
export async function workerPeer(): Promise<Peer> {
  const worker = new Worker(supportFile('worker-peer.mjs'), { workerData: { bundle: bundleUrl(currentRuntime.name) } });
  const next = () =>
    new Promise<unknown>((resolve, reject) => {
      const failed = (error: unknown) => reject(error instanceof Error ? error : new Error(`the worker ended with ${error}`));
      worker.once('error', failed).once('exit', failed);
      worker.once('message', (message) => {
        worker.off('error', failed).off('exit', failed);
        resolve(message);
      });
    });
  await next();
  const ask = (request: Request) => {
    const answered = next() as Promise<Answer>;
    worker.postMessage(request);
    return answered;
  };
  return new Peer(process.pid, ask, async () => void (await worker.terminate()));
}

/** Holdfast in this very thread, on its usual engine or on one of its own. */
export function localPeer(open: typeof openSync = openSync): Peer {
  const answer = makeServer(open);
  const names = new Set<string>();
  const ask = async (request: Request) => {
    if (request.op === 'open' && request.name) names.add(request.name);
    return answer(request);
  };
  return new Peer(process.pid, ask, async () => {
    for (const name of names) answer({ op: 'close', name });
  });
}
