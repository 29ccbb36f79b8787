// A database that was forgotten open is closed when its process or thread ends: no sidecar is left, nothing uncommitted stays.

import { describe, expect, it, onTestFinished } from 'vitest';
import { startChild } from '../support/child.ts';
import { bundleUrl, openSync, presentRuntimes } from '../support/runtimes.ts';
import { supportFile } from '../support/support-file.ts';
import { sidecarsOf, tempPath } from '../support/temp-folder.ts';

/** Ways to end, and whether the exit status says that it went well. */
const ENDS = {
  exit: true,
  end: true,
  throw: false,
  reject: false,
  'SIGTERM-handled': true,
  'worker-end': true,
  'worker-exit': true,
};

for (const runtime of presentRuntimes()) {
  describe.each(['wal', 'delete'] as const)(`a forgotten handle of ${runtime.name} in %s mode`, (journal) => {
    it.each(Object.entries(ENDS))('is closed at the end of its process: %s', async (how, well) => {
      const path = tempPath();
      const parameters = [bundleUrl(runtime.name), path, JSON.stringify({ journal }), how];
      const child = startChild([...runtime.command, supportFile('forget.mjs'), ...parameters]);
      onTestFinished(child.kill);
      child.endInput();
      const status = await child.ended;
      if (well) expect(status, child.complaints()).toBe(0);
      else expect(child.complaints()).toContain('on purpose');
      expect(sidecarsOf(path)).toEqual([]);
      const db = openSync(path, { timeout: 0, readonly: true });
      expect(db.prepare('SELECT x FROM t').pluck().all()).toEqual(['committed']);
      expect(db.info.journalMode).toBe(journal);
      db.close();
    });
  });
}
