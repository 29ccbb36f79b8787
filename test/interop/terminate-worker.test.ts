// A worker that is terminated in the middle of its transaction leaves no lock, no descriptor and no row behind, while its
// process lives on.

import { describe, expect, it, onTestFinished } from 'vitest';
import { startChild } from '../support/child.ts';
import { nativePeer } from '../support/peer.ts';
import { bundleUrl, openSync, presentRuntimes } from '../support/runtimes.ts';
import { supportFile } from '../support/support-file.ts';
import { tempPath } from '../support/temp-folder.ts';
import { demand, findPython } from '../support/tools.ts';

type Left = { locks: string[]; descriptors: string[] };
type Report = { before: Left; terminated: boolean; after: Left };

for (const runtime of presentRuntimes()) {
  describe.each(['wal', 'delete'] as const)(`a worker of ${runtime.name} in %s mode`, (journal) => {
    it.for(['idle', 'running', 'waiting'])('terminated while %s', async (doing, context) => {
      const python = demand(context, findPython());
      const path = tempPath();
      const db = openSync(path, { journal });
      db.exec("CREATE TABLE t (x); INSERT INTO t VALUES ('first')");
      db.close();
      const native = nativePeer(python);
      await native.open(path);
      if (doing === 'waiting') await native.script('BEGIN IMMEDIATE');

      const command = [...runtime.command, supportFile('terminate-worker.mjs'), bundleUrl(runtime.name), path, doing];
      const process = startChild(command);
      onTestFinished(process.kill);
      const { before, terminated, after } = JSON.parse(await process.line()) as Report;
      expect(terminated).toBe(true);
      if (doing !== 'waiting') expect(before.locks.length).toBeGreaterThan(0);
      expect(before.descriptors).toContain(path);
      expect(after).toEqual({ locks: [], descriptors: [] });

      // Native can write at once, although the process that had the worker is still there.
      if (doing === 'waiting') await native.script('COMMIT');
      expect(await native.try("INSERT INTO t VALUES ('second')")).toEqual([]);
      expect(await native.rows('SELECT substr(x, 1, 10) FROM t')).toEqual([['first'], ['second']]);
      expect(await native.rows('PRAGMA integrity_check')).toEqual([['ok']]);
      process.endInput();
      expect(await process.ended, process.complaints()).toBe(0);
    });
  });
}
