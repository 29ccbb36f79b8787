// Errors keep their class and everything they know on the trip between threads.

import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import {
  DatabaseLockedError,
  deserializeError,
  HoldfastError,
  SqliteError,
  serializeError,
  usageError,
} from '../../core/error.ts';
import { resultName } from '../../core/result-names.ts';

function acrossThreads(error: unknown): Error {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(serializeError(error));
  const { message } = receiveMessageOnPort(port2) as { message: ReturnType<typeof serializeError> };
  port1.close();
  return deserializeError(message);
}

describe('errors', () => {
  it('survive a port with class, message, code and details', () => {
    const mount = { mountPoint: '/', fsType: 'ext4', source: '/dev/x' };
    const details = {
      code: 'SQLITE_BUSY',
      resultCode: 5,
      path: '/x.db',
      waitedMs: 12,
      lock: 'RESERVED',
      holderPid: 7,
      mount,
      hint: 'wait',
    };
    const error = new DatabaseLockedError('locked', details);
    const arrived = acrossThreads(error);
    expect(arrived).toBeInstanceOf(DatabaseLockedError);
    expect(arrived).toBeInstanceOf(SqliteError);
    expect(arrived).toBeInstanceOf(HoldfastError);
    expect(arrived).toMatchObject(details);
    expect(arrived.message).toBe('locked');
    expect(arrived.name).toBe('DatabaseLockedError');
    expect(arrived.stack).toBe(error.stack);
  });

  it('of others, and thrown values that are no errors, arrive too', () => {
    expect(acrossThreads(new TypeError('t'))).toMatchObject({ name: 'TypeError', message: 't' });
    expect(acrossThreads('just text').message).toBe('just text');
    expect(acrossThreads(usageError('u', '/p'))).toMatchObject({ name: 'UsageError', path: '/p', code: 'HOLDFAST_USAGE' });
  });

  it('have only the properties that are known', () => {
    expect(Object.keys(usageError('x')).sort()).toEqual(['code', 'resultCode']);
  });

  it('name result codes as SQLite does', () => {
    expect([5, 517, 1299, 2067, 3850, 5386, 14, 100].map(resultName)).toEqual([
      'SQLITE_BUSY',
      'SQLITE_BUSY_SNAPSHOT',
      'SQLITE_CONSTRAINT_NOTNULL',
      'SQLITE_CONSTRAINT_UNIQUE',
      'SQLITE_IOERR_LOCK',
      'SQLITE_IOERR_SHMMAP',
      'SQLITE_CANTOPEN',
      'SQLITE_ROW',
    ]);
    expect(resultName(9999)).toMatch(/^SQLITE_/);
  });
});
