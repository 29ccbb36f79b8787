// The public entry on Bun: openSync and everything around it.

import type { Database } from '../../core/database/database.ts';
import type { OpenOptions } from '../../core/database/options.ts';
import { makeOpener, type UrlLike } from '../node/start.ts';
import { bunFlavour } from './flavour.ts';

/** Opens a database, synchronously. The same as on Node: see `openSync` there. */
export const openSync: (source: string | UrlLike | Uint8Array, options?: OpenOptions) => Database = makeOpener(bunFlavour);

export * from '../public.ts';
