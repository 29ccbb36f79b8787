// The public entry on Node: openSync and everything around it.

import type { Database } from '../../core/database/database.ts';
import type { OpenOptions } from '../../core/database/options.ts';
import { nodeFlavour } from './flavour.ts';
import { makeOpener, type UrlLike } from './start.ts';

/**
 * Opens a database, synchronously: a file name, a `file:` URL, `:memory:`, or the bytes of a database, which is then held in
 * memory. The file may be in use by other processes, native SQLite included.
 *
 * @example
 * ```js
 * import { openSync } from 'holdfast';
 *
 * const db = openSync('app.db', { journal: 'wal' });
 * db.exec('CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT)');
 * const add = db.prepare('INSERT INTO notes (text) VALUES (?)');
 * add.run('hello');
 * db.prepare('SELECT * FROM notes').all(); // [{ id: 1, text: 'hello' }]
 * db.close();
 * ```
 *
 * @throws UsageError for a wrong option; StorageError if the file cannot be opened; LockingError where the file system has no
 * locks; PlatformError on a system that Holdfast does not run on.
 */
export const openSync: (source: string | UrlLike | Uint8Array, options?: OpenOptions) => Database = makeOpener(nodeFlavour);

export * from '../public.ts';
