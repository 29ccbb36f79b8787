// The table of verdicts: what facts mean, with which exit status, and which of two problems comes first.

import { describe, expect, it } from 'vitest';
import type { Alone, BothWays, Exchange, Failure, Sight, Writes } from '../../../vfs/probe/evidence.ts';
import { notTested } from '../../../vfs/probe/not-tested.ts';
import { type Evidence, judge, type VerdictCode } from '../../../vfs/probe/verdict.ts';

const seen: Sight = { outcome: 'seen', atOnce: true, afterMs: 1 };
const late: Sight = { outcome: 'seen', atOnce: false, afterMs: 850 };
const unseen: Sight = { outcome: 'unseen', withinMs: 3000 };
const works = { outcome: 'works' } as const;
const excludes = { outcome: 'excludes' } as const;
const ignored = { outcome: 'ignored' } as const;
const mapped = { outcome: 'mapped' } as const;
const failed = (call: string, errno: string): Failure => ({ outcome: 'failed', call, errno });
const both = <T>(fact: T): BothWays<T> => ({ ours: fact, theirs: fact });
const allSeen: Writes = { created: seen, kept: seen, locked: seen, grown: seen, reopened: seen };

const alone: Alone = {
  exclusiveCreate: works,
  grow: works,
  truncate: works,
  syncFile: works,
  syncDirectory: works,
  renameOver: works,
  unlinkOpen: works,
  lock: works,
  map: works,
  freeBytes: 1e9,
};

const exchange: Exchange = {
  us: { fsType: 'ext4', kernel: 'a' },
  them: { fsType: 'virtiofs', kernel: 'b' },
  sameKernel: false,
  waitedMs: 5,
  nameMs: 1,
  exclusiveCreate: { outcome: 'exclusive', names: 40, ours: 20, theirs: 20 },
  makeDirectory: { outcome: 'exclusive', names: 40, ours: 20, theirs: 20 },
  replacement: both({ outcome: 'atomic', reads: 30, last: seen }),
  locks: both(excludes),
  writes: both(allSeen),
  mapping: both(mapped),
  memory: both(seen),
};

const good: Evidence = { mode: 'peer', walSafe: false, alone, exchange };

interface Case {
  name: string;
  is: Partial<Evidence>;
  code: VerdictCode;
  exit: 0 | 1 | 2;
  says: RegExp;
}

const facts = (change: Partial<Exchange>): Partial<Evidence> => ({ exchange: { ...exchange, ...change } });
const writes = (change: Partial<Writes>): BothWays<Writes> => ({ ours: { ...allSeen, ...change }, theirs: allSeen });

const CASES: Case[] = [
  { name: 'two sides, all well', is: {}, code: 'all-crosses', exit: 0, says: /between two kernels/ },
  { name: 'two sides on one kernel', is: facts({ sameKernel: true }), code: 'all-crosses', exit: 0, says: /one kernel/ },
  { name: 'two processes, native', is: { mode: 'one-side', walSafe: true }, code: 'all-holds', exit: 0, says: /two processes/ },
  { name: 'two processes on a shared mount', is: { mode: 'one-side' }, code: 'one-side-only', exit: 2, says: /cannot be told/ },
  {
    name: 'no lock crosses',
    is: facts({ locks: both(ignored) }),
    code: 'no-lock-crosses',
    exit: 1,
    says: /^No lock crosses: neither WAL nor a rollback journal/,
  },
  {
    name: 'our locks alone cross',
    is: facts({ locks: { ours: excludes, theirs: ignored } }),
    code: 'no-lock-crosses',
    exit: 1,
    says: /other side's locks do not reach us/,
  },
  {
    name: 'their locks alone cross',
    is: facts({ locks: { ours: ignored, theirs: excludes } }),
    code: 'no-lock-crosses',
    exit: 1,
    says: /Our locks do not reach/,
  },
  {
    name: 'two processes that locks do not keep apart',
    is: { mode: 'one-side', walSafe: true, ...facts({ locks: both(ignored) }) },
    code: 'no-lock-crosses',
    exit: 1,
    says: /two processes apart/,
  },
  {
    name: 'locks fail there',
    is: facts({ locks: { ours: failed('lock', 'ENOLCK'), theirs: excludes } }),
    code: 'locks-fail',
    exit: 1,
    says: /ENOLCK/,
  },
  {
    name: 'locks fail here, alone',
    is: {
      alone: { ...alone, lock: failed('lock', 'ENOSYS') },
      exchange: undefined,
      ended: { code: 'no-peer', message: 'nobody' },
    },
    code: 'locks-fail',
    exit: 1,
    says: /ENOSYS/,
  },
  {
    name: 'locks that cross, while two programs here get the same one',
    is: { alone: { ...alone, lock: { outcome: 'fails', why: 'one lock was granted twice' } } },
    code: 'locks-flawed',
    exit: 1,
    says: /only in part: on this side a lock was granted twice/,
  },
  {
    name: 'a failure weighs more than no exclusion',
    is: facts({ locks: { ours: ignored, theirs: failed('lock', 'EINVAL') } }),
    code: 'locks-fail',
    exit: 1,
    says: /EINVAL/,
  },
  {
    name: 'locks in part',
    is: facts({ locks: { ours: excludes, theirs: { outcome: 'flawed', flaw: 'a read lock did not keep writers out' } } }),
    code: 'locks-flawed',
    exit: 1,
    says: /a read lock did not/,
  },
  {
    name: 'writes late under locks',
    is: facts({ writes: writes({ locked: late }) }),
    code: 'writes-late',
    exit: 1,
    says: /even under locks/,
  },
  {
    name: 'growth not seen',
    is: facts({ writes: writes({ grown: unseen }) }),
    code: 'writes-late',
    exit: 1,
    says: /neither WAL/,
  },
  {
    name: 'late only without a lock',
    is: facts({ writes: writes({ kept: unseen, reopened: unseen }) }),
    code: 'all-crosses',
    exit: 0,
    says: /Everything/,
  },
  {
    name: 'memory apart',
    is: facts({ memory: { ours: seen, theirs: unseen } }),
    code: 'memory-apart',
    exit: 1,
    says: /never WAL; a rollback journal works/,
  },
  { name: 'memory late', is: facts({ memory: both(late) }), code: 'memory-apart', exit: 1, says: /never WAL/ },
  {
    name: 'no mapping there',
    is: facts({ mapping: { ours: mapped, theirs: failed('mmap', 'ENODEV') }, memory: undefined as never }),
    code: 'no-shared-memory',
    exit: 1,
    says: /on the other side \(ENODEV\): WAL cannot be opened there/,
  },
  {
    name: 'no mapping here',
    is: facts({ mapping: { ours: failed('mmap', 'EINVAL'), theirs: mapped }, memory: undefined as never }),
    code: 'no-shared-memory',
    exit: 1,
    says: /on this side \(EINVAL\)/,
  },
  {
    name: 'a name won twice',
    is: facts({ makeDirectory: { outcome: 'broken', names: 40, twoWinners: 1, noWinner: 0 } }),
    code: 'names-unsafe',
    exit: 1,
    says: /made by both/,
  },
  {
    name: 'a file missing while replaced',
    is: facts({
      replacement: {
        ours: { outcome: 'torn', reads: 9, missing: 1, torn: 0 },
        theirs: { outcome: 'atomic', reads: 9, last: seen },
      },
    }),
    code: 'all-crosses',
    exit: 0,
    says: /Everything/,
  },
  {
    name: 'locks matter more than names',
    is: facts({ locks: both(ignored), exclusiveCreate: failed('open', 'EIO') }),
    code: 'no-lock-crosses',
    exit: 1,
    says: /No lock/,
  },
  {
    name: 'a sync that fails',
    is: { alone: { ...alone, syncFile: failed('fdatasync', 'EIO') } },
    code: 'folder-unfit',
    exit: 1,
    says: /fdatasync fails with EIO/,
  },
  {
    name: 'a rename over a file that fails (CIFS) stops no journal mode',
    is: { alone: { ...alone, renameOver: failed('rename', 'EACCES'), unlinkOpen: { outcome: 'fails', why: 'x' } } },
    code: 'all-crosses',
    exit: 0,
    says: /Everything/,
  },
  ...(['no-peer', 'third-side', 'peer-left', 'peer-silent', 'out-of-step', 'folder-failed'] as const).map(
    (code): Case => ({
      name: `ended by ${code}`,
      is: { ended: { code, message: `it was ${code}` } },
      code,
      exit: 2,
      says: new RegExp(`it was ${code}`),
    }),
  ),
  {
    name: 'trials that are missing',
    is: { exchange: { us: { fsType: null, kernel: null } } },
    code: 'out-of-step',
    exit: 2,
    says: /Not all/,
  },
];

describe('the verdict', () => {
  it.each(CASES)('$name: $code', ({ is, code, exit, says }) => {
    const verdict = judge({ ...good, ...is });
    expect(verdict).toMatchObject({ code, exit });
    expect(verdict.summary).toMatch(says);
    for (const sentence of [verdict.summary, ...verdict.advice]) expect(sentence).not.toMatch(/\.$|undefined|\[object/);
  });

  it('advises a rollback journal for taking turns only where a file opened anew shows what was written', () => {
    const advice = (change: Partial<Writes>) =>
      judge({ ...good, exchange: { ...exchange, locks: both(ignored), writes: writes(change) } }).advice.join('\n');
    expect(advice({})).toMatch(/survives taking turns, WAL does not/);
    expect(advice({ reopened: unseen })).toMatch(/Do not rely on taking turns/);
    expect(advice({ created: late })).toMatch(/Do not rely on taking turns/);
  });

  it('warns of renames that leave a moment without a file, whatever else it says', () => {
    const replacement = { ours: { outcome: 'torn', reads: 9, missing: 1, torn: 0 } as const, theirs: failed('open', 'EIO') };
    for (const locks of [both(excludes), both(ignored)])
      expect(judge({ ...good, exchange: { ...exchange, locks, replacement } }).advice.at(-1)).toMatch(/renaming another over it/);
    expect(judge(good).advice).toEqual([]);
  });

  it('gives advice wherever something does not hold', () => {
    for (const { is, exit } of CASES) if (exit === 1) expect(judge({ ...good, ...is }).advice).not.toEqual([]);
  });
});

describe('what was not tested', () => {
  it('names the boundary when one side was alone, and the other processes when it was not', () => {
    expect(notTested({ ...good, mode: 'one-side' })[0]).toMatch(/--peer/);
    expect(notTested(good).join('\n')).toMatch(/two processes on one and the same side/);
    expect(notTested(good).join('\n')).not.toMatch(/did not come to their end/);
  });

  it('says that trials are missing, or all of them', () => {
    const ended = { code: 'peer-left', message: 'gone' } as const;
    expect(notTested({ ...good, exchange: { nameMs: 1 }, ended })[0]).toMatch(/did not come to their end/);
    expect(notTested({ ...good, exchange: undefined, ended })).toEqual(['everything that takes two sides']);
  });
});
