// Classifying a path: what leads there, what is missing, and what another witness says when there is no mount table.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { LookingHost } from '../../../adapters/node/looking-host.ts';
import type { Platform } from '../../../vfs/errno.ts';
import type { FileSystemStatus } from '../../../vfs/host.ts';
import { classify } from '../../../vfs/mount/classify.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { judged, onData, ROOT } from './judged.ts';

/** Real files, and a mount table that the test writes. */
class Pretending extends LookingHost {
  readonly table: string | undefined;
  magic: number | undefined;
  asked = 0;

  constructor(table: string | undefined, platform: Platform = 'linux') {
    super(platform);
    this.table = table;
  }

  override readText(file: string): string | undefined {
    return file === '/proc/self/mountinfo' ? this.table : super.readText(file);
  }

  override fileSystem(file: string): FileSystemStatus | number {
    this.asked++;
    if (this.magic === undefined) return -2;
    // As the kernel does, for what exists.
    return fs.existsSync(file) ? { type: this.magic, freeBytes: 0, totalBytes: 0 } : -2;
  }
}

/** A folder with `share` and `plain` in it, where `share` is said to be a mount of `type`. */
function withShare(type: string): { folder: string; host: Pretending } {
  const folder = tempFolder();
  for (const name of ['share', 'plain']) fs.mkdirSync(path.join(folder, name));
  return { folder, host: new Pretending(`${ROOT}\n36 29 0:31 / ${folder}/share rw - ${type} data rw`) };
}

const FLAGGED = ['virtiofs', 'fuse.virtiofs', '9p', '9p2000', '9p2000.l', '9p2000.u'];

describe('a path', () => {
  it.each(FLAGGED)('on or deep below a mount of %s has its class (A1, A2, A3)', (type) => {
    for (const name of ['/data', '/data/app.db', '/data/a/b/c/app.db'])
      for (const written of [type, type.toUpperCase(), `${type[0]?.toUpperCase()}${type.slice(1)}`])
        expect(onData(written, 'x', 'rw', name)).toMatchObject({ class: 'cross-vm', walSafe: false, mountPoint: '/data' });
  });

  it.each(FLAGGED)('has the class of the nearest mount, whatever surrounds it: %s (A4, A5)', (type) => {
    const inside = `36 29 0:31 / /v rw - ${type} x rw\n37 36 8:1 / /v/n rw - ext4 /dev/sdb rw\n38 37 0:32 / /v/n/w rw - ${type} x rw`;
    const table = `${ROOT}\n${inside}`;
    expect(judged(table, '/x.db').class).toBe('native');
    expect(judged(table, '/v/x.db').class).toBe('cross-vm');
    expect(judged(table, '/v/n/x.db').class).toBe('native');
    expect(judged(table, '/v/n/w/x.db').class).toBe('cross-vm');
  });

  it('is not on a mount whose name its own only begins with (A6)', () => {
    for (const name of ['/data2/app.db', '/data.db', '/data-wal', '/dat'])
      expect(onData('virtiofs', 'x', 'rw', name)).toMatchObject({ class: 'native', mountPoint: '/' });
  });

  it('on a network or another FUSE is not safe either (A7)', () => {
    for (const type of ['nfs', 'nfs4', 'cifs', 'fuse.sshfs'])
      expect(onData(type)).toMatchObject({ class: 'network', walSafe: false });
    for (const type of ['ext4', 'btrfs', 'xfs', 'zfs', 'tmpfs', 'overlay']) expect(onData(type)).toMatchObject({ walSafe: true });
  });

  it('is found below names with blanks, tabs, newlines and CJK (A9 to A13)', () => {
    for (const [written, meant] of [
      [String.raw`/my\040data`, '/my data'],
      [String.raw`/a\011b\012c\134d`, '/a\tb\nc\\d'],
      [String.raw`/a\134tb`, '/a\\tb'],
      [String.raw`/a\134040b`, '/a\\040b'],
      [String.raw`/a\nb`, String.raw`/a\nb`],
      ['/数据/カタログ', '/数据/カタログ'],
    ] as const) {
      const table = `${ROOT}\n36 29 0:31 / ${written} rw - virtiofs x rw`;
      expect(judged(table, `${meant}/app.db`)).toMatchObject({ class: 'cross-vm', mountPoint: meant });
    }
  });

  it('is judged by what a broken table still says (A15, A16, A17)', () => {
    const table = `garbage\n\n36 29\n${ROOT}\n36 29 0:31 / /data rw shared:1 master:2 - virtiofs x rw\n36 29 0:31 / /data`;
    expect(judged(table, '/data/app.db').class).toBe('cross-vm');
    expect(judged(`${table}\n37 36 0:32 / /data rw - tmpfs x rw`, '/data/app.db')).toMatchObject({
      class: 'native',
      fsType: 'tmpfs',
    });
  });

  it('counts where its links lead (A14), and the reason names the unsafe mount that a link is on', () => {
    const { folder, host } = withShare('virtiofs');
    fs.symlinkSync('share', path.join(folder, 'to-share'));
    fs.symlinkSync('../plain', path.join(folder, 'share', 'to-plain'));
    fs.symlinkSync('share/app.db', path.join(folder, 'file'));
    for (const name of ['to-share/app.db', 'file', 'to-share/missing/app.db', 'plain/../share/app.db']) {
      const ground = classify(host, path.join(folder, name));
      expect(ground).toMatchObject({ class: 'cross-vm', path: path.join(folder, name) });
      expect(ground.resolved.startsWith(`${folder}/share/`)).toBe(true);
      expect(ground.reason).not.toContain('link');
    }
    const out = classify(host, path.join(folder, 'share/to-plain/app.db'));
    expect(out).toMatchObject({ class: 'native', walSafe: true, resolved: `${folder}/plain/app.db` });
    expect(out.reason).toContain(`the link that leads there is on ${folder}/share (virtiofs)`);
  });

  it('that does not exist yet, or cannot, stands where its nearest folder does', () => {
    const { folder, host } = withShare('nfs4');
    fs.writeFileSync(path.join(folder, 'share', 'file'), '');
    fs.symlinkSync('loop', path.join(folder, 'share', 'loop'));
    fs.symlinkSync('nowhere/x.db', path.join(folder, 'share', 'dangling'));
    for (const name of [
      'new.db',
      'a/b/c/new.db',
      'a/../new.db',
      'file/x.db',
      'loop',
      'loop/x',
      'dangling',
      'a/',
      '.',
      '',
      `${'x'.repeat(300)}/y`,
    ])
      expect(classify(host, path.join(folder, 'share', name))).toMatchObject({ class: 'network', mountPoint: `${folder}/share` });
    expect(classify(host, `${folder}/share/a/../../plain/b/x.db`)).toMatchObject({
      class: 'native',
      resolved: `${folder}/plain/b/x.db`,
    });
    expect(classify(host, 'no\0name').class).toBe('native');
    expect(classify(host, '').resolved).toBe(process.cwd());
  });

  it('that is relative counts from the working directory, if there is one', () => {
    const host = new Pretending(`${ROOT}\n36 29 0:31 / ${process.cwd()} rw - nfs x rw`);
    expect(classify(host, 'app.db')).toMatchObject({ class: 'network', path: 'app.db', resolved: `${process.cwd()}/app.db` });
    host.workingDirectory = () => {
      throw new Error('ENOENT: no such file or directory, uv_cwd');
    };
    expect(classify(host, 'app.db')).toMatchObject({ class: 'unknown', walSafe: false });
    expect(classify(host, '/app.db').class).toBe('native');
  });

  it('that is a file with a mount of its own is found to be one', () => {
    const folder = tempFolder();
    fs.writeFileSync(path.join(folder, 'app.db'), '');
    fs.mkdirSync(path.join(folder, 'sub.db'));
    const host = new Pretending(
      `${ROOT}\n36 29 0:31 /x ${folder}/app.db rw - ext4 /dev/sdb rw\n37 29 0:31 / ${folder}/sub.db rw - ext4 /dev/sdb rw`,
    );
    expect(classify(host, `${folder}/app.db`)).toMatchObject({ fileIsMountPoint: true, class: 'native', walSafe: false });
    expect(classify(host, `${folder}/sub.db`)).toMatchObject({ fileIsMountPoint: false, walSafe: true });
  });

  it('is seen anew each time, without statfs while there is a table', () => {
    const host = new Pretending(ROOT);
    expect(classify(host, '/x').class).toBe('native');
    Object.assign(host, { table: '29 1 0:1 / / rw - virtiofs x rw' });
    expect(classify(host, '/x').class).toBe('cross-vm');
    expect(host.asked).toBe(0);
  });

  it('of this machine is found in its own table', () => {
    const folder = tempFolder();
    const ground = classify(new LookingHost(process.platform === 'linux' ? 'linux' : 'darwin'), `${folder}/app.db`);
    expect(ground.resolved).toBe(`${folder}/app.db`);
    expect(ground.mountPoint).toMatch(/^\//);
  });
});

describe('without a mount table (A8)', () => {
  const witness = (magic: number | undefined, table?: string) => {
    const host = new Pretending(table);
    host.magic = magic;
    return classify(host, '/no/such/folder/app.db');
  };

  it.each([
    [0x6969, 'network', 'nfs'],
    [0xff534d42, 'network', 'cifs'],
    [0xfe534d42, 'network', 'smb3'],
    // As a signed number, which is how a 32-bit system has it.
    [0xfe534d42 | 0, 'network', 'smb3'],
    [0x517b, 'network', 'smbfs'],
    [0x00c36400, 'network', 'ceph'],
    [0x0bd00bd0, 'network', 'lustre'],
    [0x47504653, 'network', 'gpfs'],
    [0x19830326, 'network', 'beegfs'],
    [0x7461636f, 'network', 'ocfs2'],
    [0x01161970, 'network', 'gfs2'],
    [0x01021997, 'cross-vm', '9p'],
    [0x786f4256, 'cross-vm', 'vboxsf'],
    [0x65735546, 'fuse', 'FUSE or virtiofs'],
  ])('statfs %i is %s (%s)', (magic, kind, name) => {
    const ground = witness(magic);
    expect(ground).toMatchObject({ class: kind, walSafe: false, mountPoint: undefined, fsType: undefined });
    expect(ground.reason).toContain(name);
    expect(ground.reason).toContain('/proc/self/mountinfo');
    expect(ground.remedy).toContain('holdfast journal FILE delete');
  });

  it.each([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0, 1])(
    'a native number proves nothing, since 9p shows that of its server: %i',
    (magic) => {
      const ground = witness(magic);
      expect(ground).toMatchObject({ class: 'unknown', walSafe: false });
      expect(ground.reason).toContain(`0x${magic.toString(16)}`);
    },
  );

  it('nothing is known when statfs fails too', () => {
    for (const table of [undefined, '', 'garbage', '36 29 0:31 / /other rw - ext4 x rw']) {
      const ground = witness(undefined, table);
      expect(ground).toMatchObject({ class: 'unknown', walSafe: false, fileIsMountPoint: false });
      expect(ground.remedy).toContain('holdfast probe');
    }
    expect(witness(0x6969, '36 29 0:31 / /other rw - ext4 x rw').reason).toContain('has no line for it');
  });

  it('nothing is known on another system (A18), where nothing is asked', () => {
    const host = new Pretending(`${ROOT}\n36 29 0:31 / /data rw - virtiofs x rw`, 'darwin');
    expect(classify(host, '/data/app.db')).toMatchObject({ class: 'unknown', walSafe: false, path: '/data/app.db' });
    expect(host.asked).toBe(0);
  });
});
