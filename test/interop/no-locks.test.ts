// A file system that has no locks: an error that names locking, the mount and the errno; and nothing runs without locks.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { oursPeer, type Peer } from '../support/peer.ts';
import { openSync, presentRuntimes, type RuntimeCommand } from '../support/runtimes.ts';
import { supportFile } from '../support/support-file.ts';
import { sidecarsOf, tempFolder } from '../support/temp-folder.ts';
import { demand, findTool } from '../support/tools.ts';

/** What file systems without locks answer, by their Linux numbers. */
const ERRNOS = { ENOSYS: 38, EINVAL: 22, ENOLCK: 37, EOPNOTSUPP: 95 };

/** A process of ours whose every lock call fails. */
function lockless(context: TestContext, runtime: RuntimeCommand, errno: number): Peer {
  const cc = demand(context, process.platform === 'linux' ? findTool('cc') : { missing: 'LD_PRELOAD is for Linux' });
  const library = path.join(tempFolder(), 'no-locks.so');
  execFileSync(cc, ['-shared', '-fPIC', '-o', library, supportFile('no-locks.c'), '-ldl']);
  return oursPeer(runtime, [], { LD_PRELOAD: library, NO_LOCKS: String(errno) });
}

for (const runtime of presentRuntimes()) {
  describe(`where locks are not implemented, on ${runtime.name}`, () => {
    it.for(Object.entries(ERRNOS))('%s is a LockingError, and nothing was written', async ([name, errno], context) => {
      const ours = lockless(context, runtime, errno);
      for (const journal of ['delete', 'wal'] as const) {
        const file = path.join(tempFolder(), 'x.db');
        openSync(file, { journal }).exec('CREATE TABLE t (x)').close();
        const before = fs.readFileSync(file);
        const opened = await ours.ask({ op: 'open', name: 'db', path: file });
        const answers = [opened];
        if (opened.code === 'ok') {
          answers.pop();
          for (const sql of ['SELECT * FROM t', 'BEGIN IMMEDIATE', 'INSERT INTO t VALUES (1)', 'PRAGMA journal_mode=wal'])
            answers.push(await ours.ask({ op: 'run', name: 'db', sql }));
          await ours.ask({ op: 'close', name: 'db' });
        }
        for (const answer of answers) {
          expect(answer).toMatchObject({ type: 'LockingError', errno: name, path: expect.stringContaining(file) });
          expect(answer.mount?.mountPoint).toMatch(/^\//);
          expect(answer.message).toContain('locking does not work');
          expect(answer.message).toContain(answer.mount?.mountPoint);
          expect(answer.message).toContain(name);
        }
        expect(fs.readFileSync(file).equals(before)).toBe(true);
        expect(sidecarsOf(file)).toEqual([]);
      }
    });

    it('dot-file locks, asked for, do work', async (context) => {
      const ours = lockless(context, runtime, ERRNOS.ENOSYS);
      const file = path.join(tempFolder(), 'x.db');
      await ours.open(file, { locking: 'dotfile' });
      await ours.script('CREATE TABLE t (x); INSERT INTO t VALUES (1)');
      expect(await ours.rows('SELECT x FROM t')).toEqual([[1]]);
      await ours.close();
    });
  });
}
