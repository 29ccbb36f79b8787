// Locked bytes and the names of SQLite's locks.

import { describe, expect, it } from 'vitest';
import { lockNames, tellingLocks } from '../../../vfs/holders/lock-names.ts';

const GIB = 2 ** 30;
const EOF = Number.POSITIVE_INFINITY;

describe('the name of a lock', () => {
  it.each([
    ['main', 'write', GIB, GIB, ['PENDING']],
    ['main', 'read', GIB, GIB, ['PENDING']],
    ['main', 'write', GIB + 1, GIB + 1, ['RESERVED']],
    ['main', 'read', GIB + 2, GIB + 511, ['SHARED']],
    ['main', 'read', GIB + 300, GIB + 300, ['SHARED']],
    ['main', 'write', GIB + 2, GIB + 511, ['EXCLUSIVE']],
    // The kernel joins neighbours of one process to one lock.
    ['main', 'write', GIB, GIB + 511, ['PENDING', 'RESERVED', 'EXCLUSIVE']],
    ['main', 'write', 0, EOF, ['PENDING', 'RESERVED', 'EXCLUSIVE']],
    ['main', 'write', 0, GIB - 1, []],
    ['main', 'write', GIB + 512, EOF, []],
    ['shm', 'write', 120, 120, ['WAL-write']],
    ['shm', 'write', 121, 122, ['WAL-checkpoint', 'WAL-recover']],
    ['shm', 'read', 123, 123, ['WAL-read 0']],
    ['shm', 'read', 127, 127, ['WAL-read 4']],
    ['shm', 'read', 128, 128, ['dead-man']],
    ['shm', 'write', 119, 119, []],
    ['shm', 'write', 129, EOF, []],
    ['wal', 'write', 0, EOF, []],
    ['journal', 'write', 0, EOF, []],
  ] as const)('on %s, %s, bytes %s to %s', (part, kind, start, end, names) => {
    expect(lockNames(part, kind, start, end)).toEqual(names);
  });

  it('of a range over the whole wal-index is every name', () => {
    const all = [
      'WAL-write',
      'WAL-checkpoint',
      'WAL-recover',
      'WAL-read 0',
      'WAL-read 1',
      'WAL-read 2',
      'WAL-read 3',
      'WAL-read 4',
    ];
    expect(lockNames('shm', 'write', 120, 127)).toEqual(all);
  });
});

describe('the locks that tell what a process does', () => {
  it.each([
    [['RESERVED', 'SHARED'], ['RESERVED']],
    [['PENDING', 'RESERVED', 'EXCLUSIVE', 'SHARED'], ['EXCLUSIVE']],
    [
      ['SHARED', 'WAL-write', 'WAL-read 1', 'dead-man'],
      ['WAL-write', 'WAL-read 1'],
    ],
    [['SHARED', 'dead-man'], ['SHARED']],
    [['dead-man'], ['dead-man']],
    [
      ['EXCLUSIVE', 'WAL-write'],
      ['EXCLUSIVE', 'WAL-write'],
    ],
    [['SHARED', 'SHARED'], ['SHARED']],
    [[], []],
  ])('of %j are %j', (names, telling) => {
    expect(tellingLocks(names)).toEqual(telling);
  });
});
