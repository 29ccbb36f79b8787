// Real shares between two kernels: what Holdfast says of each, what crosses, and what becomes of databases there.
// Not part of the suite: `npm run test:guests`, with a launcher as guest.ts describes it.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProbeReport } from '../../vfs/probe/report.ts';
import type { VerdictCode } from '../../vfs/probe/verdict.ts';
import { cliCommand, holdfast, shellQuoted } from '../adapters/cli/command.ts';
import { demand } from '../support/tools.ts';
import { EXPORT, findLauncher, inGuest, type RanInGuest, ranToItsEnd } from './guest.ts';

interface Share {
  kind: string;
  /** As the guest's mount table has it. */
  fsType: string;
  class: 'cross-vm' | 'network';
  verdict: VerdictCode;
  /** What mapping a file fails with in the guest. */
  unmapped?: string;
  /** The guest is the server too. */
  served?: boolean;
}

/** Measured; what is not stable (how late a write is seen) is printed and not asserted. */
const SHARES: Share[] = [
  { kind: 'virtiofs', fsType: 'virtiofs', class: 'cross-vm', verdict: 'no-lock-crosses' },
  { kind: 'virtiofs,cache=none', fsType: 'virtiofs', class: 'cross-vm', verdict: 'no-lock-crosses', unmapped: 'ENODEV' },
  { kind: '9p', fsType: '9p', class: 'cross-vm', verdict: 'no-lock-crosses', unmapped: 'EINVAL' },
  { kind: '9p,cache=mmap', fsType: '9p', class: 'cross-vm', verdict: 'no-lock-crosses' },
  // The lock daemon takes the clients' locks on the server's file, so that they meet those of the server's own programs.
  { kind: 'nfs3', fsType: 'nfs', class: 'network', verdict: 'memory-apart', served: true },
  { kind: 'nfs4', fsType: 'nfs4', class: 'network', verdict: 'memory-apart', served: true },
  // The client keeps its locks to itself as long as the server knows of no other client.
  { kind: 'cifs', fsType: 'cifs', class: 'network', verdict: 'no-lock-crosses', served: true },
];

const ONLY = process.env.HOLDFAST_GUEST_KINDS?.split(' ');
const launcher = findLauncher();
const command = shellQuoted(cliCommand);
const PEER = 'probe --peer --json --timeout 240';

/** All that is done in one guest, since starting one takes long. Each part begins with a line of its own. */
function lineFor(share: Share): string {
  const parts: Array<[string, string]> = [
    ['mount', `${command} mount --json /data`],
    [
      'probe',
      share.served
        ? `${command} ${PEER} ${EXPORT} > /tmp/server.json & ${command} ${PEER} /data; wait; echo "@@ server"; cat /tmp/server.json`
        : `${command} ${PEER} /data`,
    ],
    ['fresh', `${command} sql /data/fresh.db "CREATE TABLE t (x); INSERT INTO t VALUES (1)"`],
    ['fresh header', 'od -An -tu1 -j18 -N2 /data/fresh.db'],
    ['wal', `${command} sql /data/wal.db "INSERT INTO t VALUES (2)"`],
    ['wal header', 'od -An -tu1 -j18 -N2 /data/wal.db'],
    ['left', 'ls -A /data'],
  ];
  return parts
    .map(([name, what]) => `echo "@@ ${name}"; ${what} 2>&1; status=$?; echo "@@ ${name} status"; echo $status`)
    .join('; ');
}

function partsOf(out: string): Map<string, string> {
  const parts = out.split(/^@@ /m).slice(1);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1).trim()]));
}

for (const share of SHARES.filter(({ kind }) => ONLY === undefined || ONLY.includes(kind)))
  describe(share.kind, () => {
    let folder = '';
    let guest: RanInGuest;
    let host: RanInGuest | undefined;
    let parts = new Map<string, string>();

    beforeAll(async () => {
      if ('missing' in launcher) return;
      folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-guest-')));
      const made = holdfast(['sql', path.join(folder, 'wal.db'), '--create', 'PRAGMA journal_mode=wal; CREATE TABLE t (x)']);
      if (made.status !== 0) throw new Error(made.err);
      const running = inGuest(launcher.found, share.kind, folder, lineFor(share));
      if (!share.served) host = await ranToItsEnd([...cliCommand, ...PEER.split(' '), folder]);
      guest = await running;
      parts = partsOf(guest.out);
      if (parts.size === 0) throw new Error(`The guest (${share.kind}) ended with ${guest.status}: ${guest.err}${guest.out}`);
    }, 600_000);

    afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

    const part = (name: string) => parts.get(name) ?? `no part ${name} in ${guest.out}${guest.err}`;
    const json = <T>(text: string): T => JSON.parse(text.slice(text.indexOf('{'))) as T;

    it('is known by its class', (context) => {
      demand(context, launcher);
      expect(json(part('mount'))).toMatchObject({
        class: share.class,
        walSafe: false,
        fsType: share.fsType,
        mountPoint: '/data',
      });
      expect(part('mount status')).toBe('1');
    });

    it('lets through what it lets through', (context) => {
      demand(context, launcher);
      const inside = json<ProbeReport>(part('probe'));
      const outside = json<ProbeReport>(share.served ? part('server') : (host?.out ?? ''));
      console.log(`${share.kind}: in the guest ${JSON.stringify(inside.exchange)}`);
      for (const report of [inside, outside]) expect(report).toMatchObject({ verdict: share.verdict, exit: 1 });
      expect(inside.exchange?.sameKernel).toBe(share.served === true);
      expect(inside.exchange?.us?.fsType).toBe(share.fsType);
      const locks = share.verdict === 'no-lock-crosses' ? 'ignored' : 'excludes';
      expect(inside.exchange?.locks).toEqual({ ours: { outcome: locks }, theirs: { outcome: locks } });
      expect(inside.exchange?.exclusiveCreate).toMatchObject({ outcome: 'exclusive' });
      expect(inside.exchange?.makeDirectory).toMatchObject({ outcome: 'exclusive' });
      expect(inside.exchange?.mapping?.ours).toMatchObject(
        share.unmapped === undefined ? { outcome: 'mapped' } : { outcome: 'failed', errno: share.unmapped },
      );
      if (share.unmapped === undefined)
        for (const way of ['ours', 'theirs'] as const)
          expect(inside.exchange?.memory?.[way]).not.toMatchObject({ outcome: 'seen', atOnce: true });
    });

    it('gets a fresh database in rollback mode', (context) => {
      demand(context, launcher);
      expect(part('fresh header').split(/\s+/)).toEqual(['1', '1']);
      expect(part('fresh')).toMatch(/WARNING|warning/);
    });

    it('keeps a WAL database in WAL mode where it can be opened so, and says what it does with it', (context) => {
      demand(context, launcher);
      const opens = share.unmapped === undefined;
      // Where no memory can be shared, a database that nobody uses goes back to a rollback journal (rung.test.ts).
      expect(part('wal header').split(/\s+/)).toEqual(opens ? ['2', '2'] : ['1', '1']);
      expect(part('wal')).toMatch(opens ? /ERROR|error/ : /was in WAL mode/);
      expect(part('wal status')).toBe('0');
    });

    it('is left as it was', (context) => {
      demand(context, launcher);
      expect(
        part('left')
          .split('\n')
          .filter((name) => name.startsWith('.holdfast')),
      ).toEqual([]);
    });
  });
