// kill -9 at random moments: every transaction that was acknowledged is there, whole, and none is torn.

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Child, startChild } from '../support/child.ts';
import { nativePeer, type Peer } from '../support/peer.ts';
import { randomFrom, seed } from '../support/random.ts';
import { bundleUrl, openSync, presentRuntimes, type RuntimeCommand } from '../support/runtimes.ts';
import { supportFile } from '../support/support-file.ts';
import { sidecarsOf, tempPath } from '../support/temp-folder.ts';
import { demand, findPython } from '../support/tools.ts';

/** Rounds per journal mode, split into lanes that run at the same time, each with a database of its own. */
const ROUNDS = 100;
const LANES = 2;
const MOST_ACKNOWLEDGED = 14;
const MOST_DELAY_MS = 4;

const FACTS = `SELECT (SELECT coalesce(max(id), 0) FROM parts),
  (SELECT count(*) FROM (SELECT id FROM parts GROUP BY id HAVING count(*) = 3)),
  (SELECT count(DISTINCT id) FROM parts), (SELECT parts FROM total), (SELECT count(*) FROM parts)`;

/** A writer that is started but waits, so that its start overlaps the round before. */
function startWriter(runtime: RuntimeCommand, path: string, journal: string): Child {
  const command = [...runtime.command, supportFile('crash-writer.mjs'), bundleUrl(runtime.name), path];
  const child = startChild([...command, JSON.stringify({ journal })]);
  onTestFinished(child.kill);
  return child;
}

/** Lets the writer work and kills it; answers the last transaction that it acknowledged. */
async function killInMidWork(writer: Child, random: (limit: number) => number): Promise<number> {
  writer.send('go');
  const wanted = random(MOST_ACKNOWLEDGED);
  let last = 0;
  for (let seen = 0; seen <= wanted; seen++) last = Number(await writer.line());
  const delay = random(MOST_DELAY_MS + 1);
  if (delay > 0) await pause(delay);
  await writer.kill();
  expect(await writer.ended, writer.complaints()).toBe('SIGKILL');
  for (const line of await writer.rest()) last = Number(line);
  return last;
}

function factsByOurs(path: string): [facts: unknown[], verdict: unknown] {
  const db = openSync(path, { timeout: 0, create: false });
  const facts = db.prepare(FACTS).raw().get() as unknown[];
  const verdict = db.pragma('integrity_check', { simple: true });
  db.close();
  return [facts, verdict];
}

async function factsByNative(native: Peer, path: string): Promise<[facts: unknown[], verdict: unknown]> {
  await native.open(path);
  const [facts] = await native.rows(FACTS);
  const [verdict] = await native.rows('PRAGMA integrity_check');
  await native.close();
  return [facts as unknown[], verdict?.[0]];
}

/** Plays the rounds of one lane; answers how often the dead writer left a sidecar behind, and so work for a recovery. */
async function lane(number: number, journal: string, native: Peer): Promise<number> {
  let recoveries = 0;
  const random = randomFrom(seed + number);
  const path = tempPath();
  const db = openSync(path, { journal: journal as 'wal' | 'delete' });
  db.exec(
    'CREATE TABLE parts (id, part, body, PRIMARY KEY (id, part)); CREATE TABLE total (parts); INSERT INTO total VALUES (0)',
  );
  db.close();
  const runtimes = presentRuntimes();
  const runtimeOf = (round: number) => runtimes[round % runtimes.length] as RuntimeCommand;
  let next = startWriter(runtimeOf(0), path, journal);
  for (let round = 0; round < ROUNDS / LANES; round++) {
    const writer = next;
    next = startWriter(runtimeOf(round + 1), path, journal);
    const acknowledged = await killInMidWork(writer, random);
    if (sidecarsOf(path).length > 0) recoveries++;
    // By ours and by native in turns, and each after either runtime.
    const [facts, verdict] = round % 4 < 2 ? factsByOurs(path) : await factsByNative(native, path);
    const [last, whole, all, total, parts] = facts as number[];
    const where = `round ${round} of lane ${number}, seed ${seed}, acknowledged ${acknowledged}, found ${facts}`;
    expect(verdict, where).toBe('ok');
    // One more may have been committed and not yet said so.
    expect([acknowledged, acknowledged + 1], where).toContain(last);
    expect([whole, all, total, parts], where).toEqual([last, last, 3 * (last as number), 3 * (last as number)]);
  }
  await next.kill();
  return recoveries;
}

describe('kill -9 in mid-work', () => {
  afterAll(() => console.info(`kill.test.ts ran with SEED=${seed}`));

  for (const journal of ['wal', 'delete']) {
    it(`loses and tears nothing in ${journal} mode, in ${ROUNDS} rounds`, async (context) => {
      const python = demand(context, findPython());
      const lanes = Array.from({ length: LANES }, (_, number) => lane(number, journal, nativePeer(python)));
      const recoveries = (await Promise.all(lanes)).reduce((sum, each) => sum + each, 0);
      // Kills that only ever met an idle writer would prove nothing.
      expect(recoveries, `seed ${seed}`).toBeGreaterThan(ROUNDS / 2);
    });
  }
});
