// The table of versions with the WAL-reset bug, whole.

import { describe, expect, it } from 'vitest';
import { walResetVerdict } from '../../../core/doctor/wal-reset.ts';
import { openSync } from '../../support/runtimes.ts';

const range = (major: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${major}.${from + index}`);

describe('the WAL-reset bug', () => {
  it.each([
    ['vulnerable', [...range('3.7', 0, 17), '3.7.0.1', '3.8.11.1', ...range('3.40', 0, 1), ...range('3.43', 0, 9)]],
    ['vulnerable', range('3.44', 0, 5)],
    ['fixed', [...range('3.44', 6, 12), '3.44.100']],
    ['vulnerable', [...[45, 46, 47, 48, 49].flatMap((minor) => range(`3.${minor}`, 0, 9)), ...range('3.50', 0, 6)]],
    ['fixed', [...range('3.50', 7, 12), '3.50.100']],
    ['vulnerable', range('3.51', 0, 2)],
    ['fixed', [...range('3.51', 3, 12), '3.52.0', '3.53.1', '3.54.1', '3.100.0']],
    ['fixed', ['3.6.23', '3.0.0']],
  ] as const)('%s: %s', (verdict, versions) => {
    for (const version of versions) expect([version, walResetVerdict(version)]).toEqual([version, verdict]);
  });

  it.each([
    ['3.40.1 2022-12-28 14:03:47 df5c253c', 'vulnerable'],
    ['3.51.3-rc1', 'fixed'],
    ['3.51', 'vulnerable'],
    ['3.52\n', 'fixed'],
    ['', 'unknown'],
    ['unknown', 'unknown'],
    ['2.8.17', 'unknown'],
    ['4.0.0', 'unknown'],
    ['3', 'unknown'],
    ['3.x.1', 'unknown'],
    ['3.999999999999.1', 'unknown'],
    ['13.40.1', 'unknown'],
  ])('%j is %s', (version, verdict) => {
    expect(walResetVerdict(version)).toBe(verdict);
  });

  it('is not in the engine that these tests run', () => {
    const db = openSync(':memory:');
    expect(walResetVerdict(db.info.sqliteVersion)).toBe('fixed');
    db.close();
  });
});
