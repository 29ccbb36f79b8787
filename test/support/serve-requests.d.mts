// The types of serve-requests.mjs, which child processes load and TypeScript tests use as well.

import type { Database } from '../../core/database/database.ts';
import type { OpenOptions } from '../../core/database/open.ts';
import type { Answer, Request } from './peer.ts';

export function makeServer(openSync: (path: string, options?: OpenOptions) => Database): (request: Request) => Answer;
