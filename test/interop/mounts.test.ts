// What is said of real mounts, by the kernel's own table.

import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Classification } from '../../vfs/mount/classification.ts';
import { cliCommand, shellQuoted } from '../adapters/cli/command.ts';
import { startChild } from '../support/child.ts';
import { findMount, type MountKind, shellInMount } from '../support/mounts.ts';
import { demand } from '../support/tools.ts';

const SAID: Readonly<Record<MountKind, Partial<Classification>>> = {
  tmpfs: { class: 'native', fsType: 'tmpfs' },
  overlay: { class: 'native', fsType: 'overlay' },
  bind: { class: 'native', fsType: 'tmpfs', source: 'holdfast-test' },
  'bind-file': { class: 'native', fsType: 'tmpfs', fileIsMountPoint: true, walSafe: false },
  ext4: { class: 'native', fsType: 'ext4' },
  xfs: { class: 'native', fsType: 'xfs' },
  btrfs: { class: 'native', fsType: 'btrfs' },
  stacked: { class: 'native', fsType: 'ext4' },
  hidden: { class: 'native', fsType: 'ext4' },
  blank: { class: 'native', fsType: 'tmpfs' },
  bindfs: { class: 'fuse', fsType: 'fuse' },
  'bindfs-virtiofs': { class: 'cross-vm', fsType: 'fuse.virtiofs' },
  'bindfs-direct': { class: 'fuse', fsType: 'fuse' },
  mergerfs: { class: 'fuse', fsType: 'fuse.mergerfs' },
  sshfs: { class: 'network', fsType: 'fuse.sshfs' },
};

const holdfast = shellQuoted(cliCommand);

describe('a real mount', () => {
  it.for(Object.entries(SAID) as [MountKind, Partial<Classification>][])(
    'of the kind %s is told apart',
    ([kind, said], context) => {
      const mount = demand(context, findMount(kind));
      const { status, out, err } = shellInMount(mount, `printf '%s\\n' "$MOUNT"; ${holdfast} mount "$MOUNT" --json`);
      const [place, ...json] = out.split('\n');
      const ground = JSON.parse(json.join('\n')) as Classification;
      expect(err).toBe('');
      expect(ground).toMatchObject({
        walSafe: said.class === 'native',
        fileIsMountPoint: false,
        path: place,
        resolved: place,
        ...said,
      });
      expect(status).toBe(ground.walSafe ? 0 : 1);
      if (kind !== 'hidden') expect(ground.mountPoint).toBe(place);
    },
  );

  it('counts for what lies in it, for what is reached by a link, and not beside it', (context) => {
    const mount = demand(context, findMount('bindfs-virtiofs'));
    const line = `cd "$BACKING" && ln -s "$MOUNT" link && mkdir -p "$MOUNT/a/b" && ln -s "$BACKING" "$MOUNT/out"
for path in "$MOUNT/a/b/new.db" link/a/missing/new.db "$MOUNT/out/a" . "$BACKING/a"; do ${holdfast} mount "$path" | sed -n 2p; done`;
    const { out } = shellInMount(mount, line);
    const classes = out
      .trim()
      .split('\n')
      .map((row) => /class +([a-z-]+),/.exec(row)?.[1]);
    expect(classes).toEqual(['cross-vm', 'cross-vm', 'native', 'native', 'native']);
  });

  it.for(['bindfs', 'sshfs', 'ext4'] as const)(
    'of the kind %s goes with its command, however that ends',
    async (kind, context) => {
      const mount = demand(context, findMount(kind));
      const line = 'touch "$MOUNT/x"; ls "$MOUNT" | tr "\\n" " "; printf "%s\\n" "$MOUNT"; exec sleep "$1"';
      const ended = startChild([...mount.before(), 'bash', '-c', line, 'bash', '0']);
      const killed = startChild([...mount.before(), 'bash', '-c', line, 'bash', '1000']);
      const places: string[] = [];
      for (const child of [ended, killed]) places.push(/x (\/.*)$/.exec(await child.line())?.[1] ?? '');
      expect(await ended.ended).toBe(0);
      expect(seen(places[1] as string)).not.toEqual([]);
      await killed.kill();
      for (const place of places) await expect.poll(() => seen(place), { timeout: 20_000 }).toEqual([]);
    },
  );
});

/** The processes that have this mount in their table. */
function seen(place: string): string[] {
  expect(place).toMatch(/^\/./);
  return fs.readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && fs.readFileSync(`/proc/${pid}/mountinfo`, 'utf8').includes(` ${place} `);
    } catch {
      return false;
    }
  });
}
