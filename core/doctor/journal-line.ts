// The one line about the journal mode of a database: the most urgent of what is true. Configured but not in effect comes before
// WAL on an unsafe mount, that before a bug of another engine that uses the file, and that before the plain news.

import { describeHolders } from '../../vfs/holders/describe.ts';
import { remedyFor } from '../../vfs/journal/policy.ts';
import type { Classification, MountClass } from '../../vfs/mount/classification.ts';
import { shellWord } from '../../vfs/shell-word.ts';
import type { Facts } from './examine.ts';
import type { Line } from './line.ts';
import type { MachineEngine } from './machine-engine.ts';
import { sizeText } from './size-text.ts';

const GROUND: Readonly<Record<MountClass, string>> = {
  native: 'file that is mounted by itself',
  'cross-vm': 'cross-VM filesystem',
  network: 'network filesystem',
  fuse: 'FUSE filesystem, of which nothing is proven',
  unknown: 'filesystem that is not known',
};

/** `users`: engines with the WAL-reset bug that seem to have the file open. */
export function journalLines(facts: Facts, users: readonly MachineEngine[], now: number): Line[] {
  const { target, header, ground, onDisk } = facts;
  if (!header.ok) return [];
  const { label } = target;
  const size = sizeText(header.header.fileBytes);
  if (onDisk !== 'wal')
    return onDisk === 'rollback'
      ? [{ weight: 'info', code: 'journal-rollback', text: `${label}: rollback journal mode (${size})` }]
      : [];
  const lines: Line[] = [];
  if (target.config.journalMode === 'delete') lines.push(overridden(facts, size, now));
  if (!ground.walSafe) lines.push(onUnsafeGround(facts, size));
  if (lines.length === 0 && users.length > 0) lines.push(exposed(facts, users, size));
  return lines.length > 0 ? lines : [{ weight: 'info', code: 'journal-wal', text: `${label}: WAL journal mode (${size})` }];
}

function overridden({ target, path, holders, ground }: Facts, size: string, now: number): Line {
  const free = holders.holders.length === 0 && holders.unattributed.length === 0;
  const convert = `holdfast journal ${shellWord(path)} delete`;
  return {
    weight: 'error',
    code: 'journal-mode-not-in-effect',
    text: `${target.label} is in WAL mode (${size}), though ${target.config.path} says database.journal_mode: delete; ${describeHolders(holders, { now })}`,
    remedy: !ground.walSafe
      ? `stop every process that uses it on either side of the mount, then run: ${convert}`
      : free
        ? `the conversion can run now: ${convert}`
        : `stop these processes, then run: ${convert}`,
  };
}

/** For a cross-VM mount in the words and the order that operators know, the remedies with our own command. */
function onUnsafeGround({ target, path, ground }: Facts, size: string): Line {
  const { label } = target;
  const code = 'wal-on-unsafe-mount';
  if (ground.class !== 'cross-vm')
    return {
      weight: 'error',
      code,
      text: `${label} is in WAL mode on a ${GROUND[ground.class]} (${typeOf(ground)}, ${size}): ${ground.reason}`,
      ...(ground.remedy === undefined ? {} : { remedy: remedyFor(ground.remedy, path) }),
    };
  return {
    weight: 'error',
    code,
    text: `${label} is in WAL mode on a cross-VM filesystem (${typeOf(ground)}, ${size}) (WAL can silently corrupt across the VM boundary)`,
    remedy: `stop every process that uses it and run the one-time offline conversion 'holdfast journal ${shellWord(path)} delete', ${target.config.journalMode === 'delete' ? '' : 'then set `database.journal_mode: delete` '}— or move the database onto a native/named volume`,
  };
}

function typeOf({ fsType, mountPoint }: Classification): string {
  return fsType === undefined ? 'type unknown' : `${fsType} at ${mountPoint}`;
}

function exposed({ target }: Facts, users: readonly MachineEngine[], size: string): Line {
  const who = [...new Set(users.map(({ name, version }) => `${name} (SQLite ${version})`))].join(', ');
  return {
    weight: 'warning',
    code: 'wal-reset-exposure',
    text: `${target.label}: WAL journal mode (${size}), and it is in use by ${who}, whose SQLite has the WAL-reset bug: a rare race of two checkpoints can corrupt the database`,
    remedy: 'bring that engine to SQLite 3.51.3 or newer (or 3.50.7, 3.44.6), or use a rollback journal',
  };
}
