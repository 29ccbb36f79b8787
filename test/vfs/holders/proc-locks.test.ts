// Lines of /proc/locks and texts of fdinfo, as kernels write them.

import { describe, expect, it } from 'vitest';
import { parseDescriptorInfo, parseLocks } from '../../../vfs/holders/proc-locks.ts';

const LOCKS = `1: POSIX  ADVISORY  WRITE 29461 fe:00:2400419 1073741825 1073741825
1: -> POSIX  ADVISORY  WRITE 29470 fe:00:2400419 1073741825 1073741825
2: OFDLCK ADVISORY  READ  -1 00:1f:18446744073709551615 128 128
3: FLOCK  ADVISORY  WRITE 812 fe:00:2400419 0 EOF
4: LEASE  ACTIVE    READ  812 fe:00:2400419 0 EOF
5: POSIX  MANDATORY READ  77 08:03:12 0 EOF
6: POSIX  ADVISORY  READ  0 103:02:12 120 127
7: POSIX  *NOINODE* READ  5 <none>:0 0 EOF

this is no lock
`;

describe('/proc/locks', () => {
  it('gives the byte-range locks that somebody holds, and only those', () => {
    expect(parseLocks(LOCKS)).toEqual([
      { owner: 'POSIX', kind: 'write', pid: 29461, file: 'fe:00:2400419', start: 1073741825, end: 1073741825 },
      { owner: 'OFD', kind: 'read', pid: undefined, file: '00:1f:18446744073709551615', start: 128, end: 128 },
      { owner: 'POSIX', kind: 'read', pid: 77, file: '08:03:12', start: 0, end: Number.POSITIVE_INFINITY },
      { owner: 'POSIX', kind: 'read', pid: undefined, file: '103:02:12', start: 120, end: 127 },
    ]);
    expect(parseLocks('')).toEqual([]);
  });
});

describe('fdinfo', () => {
  it('gives inode, mount and locks', () => {
    const text = `pos:\t0\nflags:\t02500002\nmnt_id:\t27\nino:\t2400422
lock:\t1: POSIX  ADVISORY  WRITE 29502 fe:00:2400422 120 120
lock:\t2: FLOCK  ADVISORY  READ 29502 fe:00:2400422 0 EOF
lock:\t3: OFDLCK ADVISORY  READ -1 fe:00:2400422 128 128
`;
    const info = parseDescriptorInfo(text);
    expect(info).toMatchObject({ ino: '2400422', mountId: '27' });
    expect(info.locks.map(({ owner, start }) => [owner, start])).toEqual([
      ['POSIX', 120],
      ['OFD', 128],
    ]);
  });

  it('of an old kernel has no inode, and of a strange one nothing', () => {
    expect(parseDescriptorInfo('pos:\t0\nflags:\t0\nmnt_id:\t9\n')).toEqual({ ino: undefined, mountId: '9', locks: [] });
    expect(parseDescriptorInfo('')).toEqual({ ino: undefined, mountId: undefined, locks: [] });
  });
});
