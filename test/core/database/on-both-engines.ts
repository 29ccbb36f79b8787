// Runs a suite on the production engine and on wa-sqlite; each test opens what it needs.

import { afterAll, beforeAll, describe } from 'vitest';
import { Database } from '../../../core/database/database.ts';
import type { OpenOptions } from '../../../core/database/options.ts';
import type { Runtime } from '../../../core/database/runtime.ts';
import { engines } from '../engine/engines.ts';

export interface Suite {
  engine: string;
  /** A database of the suite's engine, closed when the suite ends. */
  open(path?: string | Uint8Array, options?: OpenOptions): Database;
}

export function onBothEngines(title: string, suite: (suite: Suite) => void): void {
  describe.each(engines)(`${title} on $name`, ({ name, start }) => {
    let runtime: Runtime;
    const opened: Database[] = [];
    beforeAll(async () => {
      runtime = await start();
    });
    afterAll(() => {
      for (const db of opened) if (db.open) db.close();
    });
    suite({
      engine: name,
      open: (path = ':memory:', options = {}) => {
        const db = new Database(runtime, path, options);
        opened.push(db);
        return db;
      },
    });
  });
}
