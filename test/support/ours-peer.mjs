// Our peer in a process of its own: requests come as lines of JSON, answers go back in the same order.
// Arguments: the bundle to load.

import fs from 'node:fs';
import { createInterface } from 'node:readline';
import { makeServer } from './serve-requests.mjs';

const { openSync } = await import(process.argv[2]);
const answer = makeServer(openSync);
for await (const line of createInterface({ input: process.stdin }))
  fs.writeSync(1, `${JSON.stringify(answer(JSON.parse(line)))}\n`);
