// What a killed writer leaves, recovered across engines: hot journals are rolled back, abandoned WALs are read.

import fs from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { findAnotherUser } from '../support/another-user.ts';
import { type Crash, copyCrash, crashDatabase, EXPECTED, FACTS, type Maker } from '../support/crashed-database.ts';
import { localPeer, nativePeer, oursPeer, type Peer } from '../support/peer.ts';
import { currentRuntime, presentRuntimes } from '../support/runtimes.ts';
import { sidecarsOf, tempPath } from '../support/temp-folder.ts';
import { demand, findPython } from '../support/tools.ts';

const CRASHES: Crash[] = ['hot-journal', 'abandoned-wal'];

async function expectRecovery(peer: Peer, path: string, crash: Crash): Promise<void> {
  await peer.open(path);
  expect(await peer.rows(FACTS)).toEqual([EXPECTED[crash]]);
  expect(await peer.rows('PRAGMA integrity_check')).toEqual([['ok']]);
  await peer.script('UPDATE t SET v = 0 WHERE id = 1');
  await peer.close();
  expect(sidecarsOf(path)).toEqual([]);
}

describe.each(CRASHES)('a database with %s', (crash) => {
  let python: string;
  let path: string;
  beforeEach((context) => {
    python = demand(context, findPython());
  });

  it('made by native is recovered by ours', async () => {
    path = tempPath();
    await crashDatabase(path, crash, { native: python });
    for (const runtime of presentRuntimes()) {
      copyCrash(path, `${path}.${runtime.name}`);
      await expectRecovery(oursPeer(runtime), `${path}.${runtime.name}`, crash);
    }
    await expectRecovery(localPeer(), path, crash);
  });

  it('made by ours is recovered by native', async () => {
    for (const runtime of presentRuntimes()) {
      path = tempPath();
      await crashDatabase(path, crash, { ours: runtime });
      await expectRecovery(nativePeer(python), path, crash);
    }
  });

  it('is not rolled back a second time under the connection that recovered it', async () => {
    // The journal of a live writer must not look hot to the next one who comes.
    path = tempPath();
    await crashDatabase(path, crash, { native: python });
    const [first, second] = [localPeer(), nativePeer(python)];
    await first.open(path);
    await second.open(path);
    await first.script('BEGIN IMMEDIATE; UPDATE t SET v = v + 1');
    expect(await second.rows(FACTS)).toEqual([EXPECTED[crash]]);
    await first.script('ROLLBACK');
    expect(await first.rows(FACTS)).toEqual([EXPECTED[crash]]);
  });

  describe('opened readonly', () => {
    /** What native in mode=ro says, and what ours says with readonly; each on its own copy. */
    async function bothAnswers(maker: Maker, native: Peer, ours: Peer, prepare: (copy: string) => void) {
      path = tempPath();
      await crashDatabase(path, crash, maker);
      const answers: unknown[] = [];
      for (const [peer, file, options] of [
        [native, `${path}.a`, {}],
        [ours, `${path}.b`, { readonly: true }],
      ] as const) {
        copyCrash(path, file);
        prepare(file);
        const name = peer === native ? `file:${file}?mode=ro` : file;
        const opened = await peer.ask({ op: 'open', name: 'db', path: name, options });
        answers.push(opened.code === 'ok' ? await peer.try(FACTS) : opened.code);
        answers.push(await peer.try('UPDATE t SET v = 0'));
      }
      return { native: answers.slice(0, 2), ours: answers.slice(2) };
    }

    it('answers what native answers', async () => {
      for (const maker of [{ native: python }, { ours: currentRuntime }]) {
        const answers = await bothAnswers(maker, nativePeer(python), localPeer(), () => {});
        expect(answers.ours).toEqual(answers.native);
        // A hot journal needs a writer; a WAL can be read by anybody who may write beside it.
        const expected = crash === 'hot-journal' ? 'SQLITE_READONLY_ROLLBACK' : [EXPECTED[crash]];
        expect(answers.ours[0]).toEqual(expected);
      }
    });

    it('answers what native answers to a user who may write nothing there', async (context) => {
      const nobody = demand(context, findAnotherUser());
      const lockAway = (copy: string) => {
        for (const suffix of ['', ...sidecarsOf(copy)]) fs.chmodSync(copy + suffix, 0o444);
        fs.chmodSync(copy.slice(0, copy.lastIndexOf('/')), 0o555);
      };
      for (const maker of [{ native: python }, { ours: currentRuntime }]) {
        const peers = [nativePeer(nobody.python, nobody.before), oursPeer(currentRuntime, nobody.before)] as const;
        const answers = await bothAnswers(maker, ...peers, lockAway);
        expect(answers.ours).toEqual(answers.native);
        const expected = crash === 'hot-journal' ? 'SQLITE_READONLY_ROLLBACK' : [EXPECTED[crash]];
        expect(answers.ours[0]).toEqual(expected);
      }
    });
  });
});
