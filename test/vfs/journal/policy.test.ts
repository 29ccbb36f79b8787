// The whole table of the journal policy: what is on disk × what is configured × the ground.

import { describe, expect, it } from 'vitest';
import type { JournalOnDisk } from '../../../vfs/journal/on-disk.ts';
import { decideJournal, type JournalMode, type JournalQuestion, mayShareWalIndex } from '../../../vfs/journal/policy.ts';
import type { Classification } from '../../../vfs/mount/classification.ts';

const native: Classification = {
  path: '/data/app.db',
  resolved: '/data/app.db',
  mountPoint: '/data',
  fsType: 'ext4',
  source: '/dev/sda1',
  options: 'rw',
  class: 'native',
  walSafe: true,
  fileIsMountPoint: false,
  reason: 'ext4 belongs to this kernel',
  remedy: undefined,
};
const unsafe: Classification = {
  ...native,
  fsType: 'virtiofs',
  class: 'cross-vm',
  walSafe: false,
  reason: 'no lock crosses virtiofs',
  remedy: 'move it to a named volume',
};

function decide(change: Partial<JournalQuestion>): string {
  const question: JournalQuestion = {
    path: '/data/app.db',
    onDisk: 'fresh',
    configured: 'auto',
    ground: native,
    canShareMemory: true,
    readonly: false,
    requireWal: false,
    ...change,
  };
  const { action, mode, findings, refusal } = decideJournal(question);
  for (const finding of findings) expect(finding.path).toBe('/data/app.db');
  if (refusal) return `refuse ${refusal.code}`;
  return [action, mode, ...findings.map(({ severity, code }) => `${severity}:${code}`)].filter(Boolean).join(' ');
}

const INSTEAD = 'keep warning:rollback-instead-of-wal';
const UNSAFE_WAL = 'error:wal-on-unsafe-mount';
const OVERRIDDEN = 'error:journal-mode-not-in-effect';

/** on disk, configured, on native ground, on unsafe ground */
const TABLE: readonly [JournalOnDisk, JournalMode, string, string][] = [
  ['fresh', 'auto', 'switch-later wal', INSTEAD],
  ['fresh', 'wal', 'switch wal', INSTEAD],
  ['fresh', 'keep', 'keep', 'keep'],
  ['fresh', 'delete', 'switch delete', 'switch delete'],
  ['fresh', 'truncate', 'switch truncate', 'switch truncate'],
  ['fresh', 'persist', 'switch persist', 'switch persist'],
  ['fresh', 'memory', 'switch memory', 'switch memory'],
  ['fresh', 'off', 'switch off', 'switch off'],
  ['begun', 'auto', 'switch-later wal', INSTEAD],
  ['begun', 'wal', 'switch wal', INSTEAD],
  ['begun', 'delete', 'switch delete', 'switch delete'],
  ['wal', 'auto', 'keep', `keep ${UNSAFE_WAL}`],
  ['wal', 'wal', 'keep', `keep ${UNSAFE_WAL}`],
  ['wal', 'keep', 'keep', `keep ${UNSAFE_WAL}`],
  ['wal', 'delete', `keep ${OVERRIDDEN}`, `keep ${OVERRIDDEN} ${UNSAFE_WAL}`],
  ['wal', 'truncate', `keep ${OVERRIDDEN}`, `keep ${OVERRIDDEN} ${UNSAFE_WAL}`],
  ['wal', 'off', `keep ${OVERRIDDEN}`, `keep ${OVERRIDDEN} ${UNSAFE_WAL}`],
  ['rollback', 'auto', 'keep', 'keep'],
  ['rollback', 'keep', 'keep', 'keep'],
  ['rollback', 'wal', 'switch wal warning:journal-upgrade', INSTEAD],
  ['rollback', 'delete', 'switch delete', 'switch delete'],
  ['rollback', 'persist', 'switch persist', 'switch persist'],
  ['unknown', 'auto', 'keep warning:journal-mode-unknown', 'keep warning:journal-mode-unknown'],
  ['unknown', 'wal', 'keep warning:journal-mode-unknown', 'keep warning:journal-mode-unknown'],
  ['unknown', 'keep', 'keep', 'keep'],
  ['unknown', 'delete', 'refuse HOLDFAST_JOURNAL_UNKNOWN', 'refuse HOLDFAST_JOURNAL_UNKNOWN'],
  ['foreign', 'auto', 'keep', 'keep'],
  ['foreign', 'keep', 'keep', 'keep'],
  ['foreign', 'wal', 'switch wal', 'switch wal'],
  ['foreign', 'delete', 'switch delete', 'switch delete'],
  ['orphan-wal', 'auto', 'refuse HOLDFAST_ORPHAN_WAL', 'refuse HOLDFAST_ORPHAN_WAL'],
  ['orphan-wal', 'keep', 'refuse HOLDFAST_ORPHAN_WAL', 'refuse HOLDFAST_ORPHAN_WAL'],
];

describe('the journal policy', () => {
  it.each(TABLE)('%s, configured %s: native %s; unsafe %s', (onDisk, configured, onNative, onUnsafe) => {
    expect(decide({ onDisk, configured })).toBe(onNative);
    expect(decide({ onDisk, configured, ground: unsafe })).toBe(onUnsafe);
  });

  it('never takes a database out of WAL because it is configured so', () => {
    for (const [onDisk, configured] of TABLE)
      if (onDisk === 'wal') expect(decide({ onDisk, configured })).not.toMatch(/switch|leave/);
  });

  it('where memory cannot be shared, gives no new WAL and has to leave one that it meets', () => {
    const canShareMemory = false;
    expect(decide({ configured: 'auto', canShareMemory })).toBe(INSTEAD);
    expect(decide({ configured: 'wal', onDisk: 'rollback', canShareMemory })).toBe(INSTEAD);
    for (const ground of [native, unsafe]) expect(decide({ onDisk: 'wal', ground, canShareMemory })).toBe('leave-wal');
    for (const change of [{ configured: 'keep' }, { requireWal: true }] as const)
      expect(decide({ onDisk: 'wal', canShareMemory, ...change })).toBe('refuse HOLDFAST_WAL_UNUSABLE');
  });

  it('readonly changes nothing, and still tells of WAL where it is not safe', () => {
    const readonly = true;
    for (const [onDisk, configured] of TABLE)
      if (['fresh', 'rollback', 'wal'].includes(onDisk))
        expect(decide({ onDisk, configured, ground: unsafe, readonly })).toBe(onDisk === 'wal' ? `keep ${UNSAFE_WAL}` : 'keep');
  });

  it('requireWal is refused wherever there would be none', () => {
    const requireWal = true;
    const refused = 'refuse HOLDFAST_WAL_UNUSABLE';
    expect(decide({ requireWal })).toBe('switch wal');
    expect(decide({ requireWal, onDisk: 'rollback' })).toBe('switch wal warning:journal-upgrade');
    expect(decide({ requireWal, onDisk: 'wal' })).toBe('keep');
    expect(decide({ requireWal, onDisk: 'wal', ground: unsafe })).toBe(`keep ${UNSAFE_WAL}`);
    expect(decide({ requireWal, ground: unsafe })).toBe(refused);
    expect(decide({ requireWal, onDisk: 'rollback', ground: unsafe })).toBe(refused);
    expect(decide({ requireWal, canShareMemory: false })).toBe(refused);
    expect(decide({ requireWal, onDisk: 'rollback', readonly: true })).toBe(refused);
    expect(decide({ requireWal, configured: 'delete' })).toBe(refused);
    expect(decide({ requireWal, onDisk: 'unknown' })).toBe('refuse HOLDFAST_JOURNAL_UNKNOWN');
  });

  it('names the reason and the remedy of the ground', () => {
    const fresh = decideJournal({
      path: '/data/app.db',
      onDisk: 'fresh',
      configured: 'auto',
      ground: unsafe,
      canShareMemory: true,
      readonly: false,
      requireWal: false,
    });
    expect(fresh.findings[0]?.message).toContain(unsafe.reason);
    expect(fresh.findings[0]?.remedy).toMatch(/named volume/);
  });

  it('shares no wal-index for a file that could enter WAL where it is not safe', () => {
    const asked: JournalOnDisk[] = ['fresh', 'begun', 'rollback', 'wal', 'unknown', 'foreign'];
    expect(asked.filter((onDisk) => mayShareWalIndex(onDisk, native))).toEqual(asked);
    expect(asked.filter((onDisk) => mayShareWalIndex(onDisk, unsafe))).toEqual(['wal', 'unknown', 'foreign']);
  });
});
