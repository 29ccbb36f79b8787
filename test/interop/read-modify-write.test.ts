// Native SQLite and ours change the same rows at the same time: nothing is lost and nothing happens twice.

import { describe, expect, it } from 'vitest';
import { expectExactCount, makeCounter, nativeIncrementing, oursIncrementing, race } from '../support/increment.ts';
import { currentRuntime, presentRuntimes } from '../support/runtimes.ts';
import { sidecarsOf, tempPath } from '../support/temp-folder.ts';
import { demand, findPython } from '../support/tools.ts';

const TIMES = 150;

describe('two native processes and two of ours', () => {
  for (const journal of ['wal', 'delete', 'truncate'] as const) {
    it(`increment one counter in ${journal} mode`, async (context) => {
      const python = demand(context, findPython());
      const path = tempPath();
      makeCounter(path, { journal });
      // The other runtime, where it is present.
      const second = presentRuntimes().at(-1) ?? currentRuntime;
      // Only WAL mode is kept in the file; the others are settings of each connection.
      const options = { journal };
      const committed = await race([
        nativeIncrementing(python, path, 'a', TIMES),
        nativeIncrementing(python, path, 'b', TIMES),
        oursIncrementing(currentRuntime, path, options, 'c', TIMES),
        oursIncrementing(second, path, options, 'd', TIMES),
      ]);
      expect(committed).toEqual([TIMES, TIMES, TIMES, TIMES]);
      await expectExactCount(python, path, committed);
      // This mode keeps its journal by definition, emptied.
      const kept = journal === 'truncate' ? ['-journal'] : [];
      expect(sidecarsOf(path).filter((sidecar) => !kept.includes(sidecar))).toEqual([]);
    });
  }
});
