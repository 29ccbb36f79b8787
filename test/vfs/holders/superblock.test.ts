// Device numbers as lock lines have them, from mountinfo and from stat.

import { expect, it } from 'vitest';
import { deviceOfStat, Superblocks } from '../../../vfs/holders/superblock.ts';

const MOUNTS = `27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
36 27 259:2 / /srv rw - xfs /dev/nvme0n1p2 rw
37 36 0:31 /data /srv/my\\040data rw - btrfs /dev/loop0 rw
38 36 0:44 /app.db /srv/app.db rw - tmpfs tmpfs rw
`;
const table = new Superblocks(MOUNTS);

it('the superblock of a path is that of the longest mount point', () => {
  expect(table.at('/home/x.db')).toBe('fe:00');
  expect(table.at('/srv/my data/x.db')).toBe('00:1f');
  expect(table.at('/srv/x.db')).toBe('103:02');
  expect(table.at('/srv/app.db')).toBe('00:2c');
  expect(table.at('/srv/app.db-wal')).toBe('103:02');
  expect(new Superblocks('').at('/x')).toBeUndefined();
});

it('the superblock of a mount is found by its number', () => {
  expect(table.of('37')).toBe('00:1f');
  expect(table.of('3')).toBeUndefined();
  expect(new Superblocks('rubbish\n1 2\n').of('1')).toBeUndefined();
});

it('st_dev is taken apart as makedev(3) puts it together', () => {
  expect(deviceOfStat('65024')).toBe('fe:00');
  expect(deviceOfStat('39')).toBe('00:27');
  // Major 259, minor 1000; and numbers beyond 12 and 20 bits.
  expect(deviceOfStat(String((259n << 8n) | (1000n & 0xffn) | ((1000n & ~0xffn) << 12n)))).toBe('103:3e8');
  expect(deviceOfStat(String((0x12345n & 0xfffn) * 256n + ((0x12345n & ~0xfffn) << 32n)))).toBe('12345:00');
});
