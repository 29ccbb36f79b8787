// Processes that add one to the same counter at the same time, and what must be true of it afterwards.

import { expect, onTestFinished } from 'vitest';
import type { OpenOptions } from '../../core/database/options.ts';
import { type Child, startChild } from './child.ts';
import { nativePeer } from './peer.ts';
import { bundleUrl, openSync, type RuntimeCommand } from './runtimes.ts';
import { supportFile } from './support-file.ts';

const PATIENCE_MS = 60_000;

export function oursIncrementing(runtime: RuntimeCommand, path: string, options: OpenOptions, who: string, times: number): Child {
  const settings = JSON.stringify({ timeout: PATIENCE_MS, ...options });
  const parameters = [bundleUrl(runtime.name), path, settings, who, String(times)];
  return startChild([...runtime.command, supportFile('increment.mjs'), ...parameters]);
}

export function nativeIncrementing(python: string, path: string, who: string, times: number): Child {
  return startChild([python, supportFile('increment.py'), path, who, String(times)]);
}

export function makeCounter(path: string, options: OpenOptions): void {
  const db = openSync(path, options);
  db.exec('CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (0); CREATE TABLE log (n INTEGER PRIMARY KEY, who)');
  db.close();
}

/** Lets all start at the same moment; answers how many transactions each says that it committed. */
export async function race(children: Child[]): Promise<number[]> {
  for (const child of children) onTestFinished(child.kill);
  for (const child of children) expect(await child.line()).toBe('ready');
  for (const child of children) {
    child.send('go');
    child.endInput();
  }
  const committed: number[] = [];
  for (const child of children) committed.push(Number(await child.line()));
  for (const child of children) expect(await child.ended).toBe(0);
  return committed;
}

/** No update lost, none twice, and both engines find the file sound. */
export async function expectExactCount(
  python: string,
  path: string,
  committed: number[],
  options: OpenOptions = {},
): Promise<void> {
  const total = committed.reduce((sum, each) => sum + each, 0);
  const facts = 'SELECT (SELECT n FROM counter), count(*), count(DISTINCT n), max(n) FROM log';
  const db = openSync(path, options);
  expect(db.prepare(facts).raw().get()).toEqual([total, total, total, total]);
  expect(db.prepare('SELECT count(*) FROM log GROUP BY who ORDER BY who').pluck().all()).toEqual(committed);
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  db.close();
  const native = nativePeer(python);
  await native.open(options.locking === 'dotfile' ? `file:${path}?vfs=unix-dotfile` : path);
  expect(await native.rows(facts)).toEqual([[total, total, total, total]]);
  expect(await native.rows('PRAGMA integrity_check')).toEqual([['ok']]);
  await native.close();
}
