// Our peer in a worker thread: requests and answers are messages.

import { parentPort, workerData } from 'node:worker_threads';
import { makeServer } from './serve-requests.mjs';

const { openSync } = await import(workerData.bundle);
const answer = makeServer(openSync);
parentPort.on('message', (request) => parentPort.postMessage(answer(request)));
parentPort.postMessage('ready');
