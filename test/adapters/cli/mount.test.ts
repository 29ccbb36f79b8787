// The command `holdfast mount`: what it prints, as text and as JSON, and how it ends.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../support/temp-folder.ts';
import { cliCommand, holdfast, type Ran, shellQuoted } from './command.ts';

const TABLE = String.raw`29 1 254:0 / / rw,relatime - ext4 /dev/vda rw
36 29 0:31 / /data rw,relatime - virtiofs host rw
37 36 8:1 / /data/native rw,relatime - xfs /dev/sdb rw
38 29 0:32 / /home rw,relatime - nfs4 srv:/home rw,nolock
39 29 0:33 / /pool rw,relatime - fuse.mergerfs a:b rw
40 29 0:34 / /odd rw - foofs x rw
41 29 0:35 /x/app.db /srv/app.db rw - ext4 /dev/sdc rw
42 29 0:36 / /my\040dir\033[31m rw - tmpfs t rw
43 29 0:37 / /over rw - overlay o rw,upperdir=/data/u`;

const KEYS = [
  ...['path', 'resolved', 'mountPoint', 'fsType', 'source', 'options', 'class'],
  ...['walSafe', 'fileIsMountPoint', 'reason', 'remedy'],
];

function tableFile(text = TABLE): string {
  const file = path.join(tempFolder(), 'mountinfo');
  fs.writeFileSync(file, text);
  return file;
}

/** Runs in a working directory that is removed first. */
function inRemoved(folder: string, args: string[]): Ran {
  fs.mkdirSync(folder, { recursive: true });
  const line = `cd ${shellQuoted([folder])} && rmdir ${shellQuoted([folder])} && exec ${shellQuoted([...cliCommand, ...args])}`;
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { encoding: 'utf8' });
  return { status, out: stdout, err: stderr };
}

describe('holdfast mount', () => {
  it.each([
    ['/srv/other.db', 0, 'native'],
    ['/data', 1, 'cross-vm'],
    ['/data/app.db', 1, 'cross-vm'],
    ['/data/native/app.db', 0, 'native'],
    ['/data/x/../native/./app.db', 0, 'native'],
    ['/home/ann/app.db', 1, 'network'],
    ['/pool/app.db', 1, 'fuse'],
    ['/odd/app.db', 2, 'unknown'],
    ['/srv/app.db', 1, 'native'],
    ['/over/app.db', 1, 'cross-vm'],
  ])('judges %s by a given table: exit %i, %s', (place, status, kind) => {
    const table = tableFile();
    const json = holdfast(['mount', place, '--mountinfo', table, '--json']);
    expect(json.err).toBe('');
    const ground = JSON.parse(json.out);
    expect(ground).toMatchObject({ path: place, class: kind, walSafe: status === 0 });
    expect(Object.keys(ground)).toEqual(KEYS);
    expect(json.status).toBe(status);
    const text = holdfast(['mount', '--mountinfo', table, place]);
    expect(text).toMatchObject({ status, err: '' });
    expect(text.out).toContain(`  class     ${kind}, WAL is ${status === 0 ? 'safe' : 'not safe'} here\n`);
    expect(text.out).toContain(`  why       ${ground.reason}.\n`);
    if (ground.remedy !== null) expect(text.out).toContain(`  to do     ${ground.remedy}.\n`);
    else expect(text.out).not.toContain('to do');
  });

  it('reads a table from standard input', () => {
    const { status, out } = holdfast(['mount', '/data', '--mountinfo', '-'], { input: TABLE });
    expect([status, out]).toEqual([1, expect.stringContaining('/data is virtiofs from host')]);
  });

  it('says which file of a given table is a mount point, and does not look at this machine', () => {
    const ground = JSON.parse(holdfast(['mount', '/srv/app.db', '--mountinfo', tableFile(), '--json']).out);
    expect(ground).toMatchObject({ fileIsMountPoint: true, mountPoint: '/srv/app.db', fsType: 'ext4' });
    const folder = tempFolder();
    fs.symlinkSync('/data', path.join(folder, 'link'));
    const literal = JSON.parse(holdfast(['mount', `${folder}/link`, '--mountinfo', tableFile(), '--json']).out);
    expect(literal).toMatchObject({ class: 'native', resolved: `${folder}/link` });
  });

  it('looks at the working directory where no path is named', () => {
    const folder = tempFolder();
    const { status, out } = holdfast(['mount', '--json'], { cwd: folder });
    const ground = JSON.parse(out);
    expect(ground).toMatchObject({ path: folder, resolved: folder });
    expect(status).toBe(ground.class === 'unknown' ? 2 : ground.walSafe ? 0 : 1);
    const relative = JSON.parse(holdfast(['mount', '--mountinfo', tableFile(), '--json'], { cwd: folder }).out);
    expect(relative).toMatchObject({ class: 'native', resolved: folder });
  });

  it('follows links and takes paths that do not exist', () => {
    const folder = tempFolder();
    fs.symlinkSync(folder, path.join(folder, 'link'));
    const { out, err } = holdfast(['mount', path.join(folder, 'link/new/app.db')]);
    expect(err).toBe('');
    expect(out).toContain(`  leads to  ${folder}/new/app.db\n`);
    expect(fs.readdirSync(folder)).toEqual(['link']);
  });

  it('keeps names from commanding the terminal', () => {
    const { out } = holdfast(['mount', '/my dir\x1b[31m/a\nb', '--mountinfo', tableFile()]);
    expect(out).toContain('/my dir\\x1b[31m (type tmpfs, source t)');
    expect(out).not.toMatch(/\x1b/);
    expect(out.split('\n')[0]).toBe('/my dir\\x1b[31m/a\\nb');
    const json = holdfast(['mount', '/x\x9b\u2028', '--mountinfo', tableFile(), '--json']).out;
    expect(json).not.toMatch(/[\x9b\u2028]/);
    expect(JSON.parse(json).path).toBe('/x\x9b\u2028');
  });

  it.each([
    [['--mountinfo', '/no/such/table', '/x'], /the mount table cannot be read: .*\/no\/such\/table/],
    [['--mountinfo', '/', '/x'], /the mount table cannot be read: EISDIR/],
    [['--mountinfo'], /argument missing/],
    [[''], /PATH is empty/],
    [['/x', '/y'], /too many arguments/],
    [['--no-such'], /unknown option/],
  ])('ends with 2 when called wrongly: %j', (args, complaint) => {
    const { status, out, err } = holdfast(['mount', ...args]);
    expect(status).toBe(2);
    expect(err).toMatch(complaint);
    expect(out).toBe('');
  });

  it('says what is wrong with a table of another format', () => {
    const file = tableFile('/dev/vda / ext4 rw,relatime 0 0\nproc /proc proc rw 0 0\n');
    const { status, err } = holdfast(['mount', '/x', '--mountinfo', file]);
    expect(status).toBe(2);
    expect(err).toMatch(
      /mountinfo has no line of a mount table as \/proc\/self\/mountinfo shows it \(\/proc\/mounts is another format\)/,
    );
    expect(holdfast(['mount', '/x', '--mountinfo', '-'], { input: '' }).err).toContain('standard input has no line');
  });

  it('says that the working directory is gone', () => {
    const folder = tempFolder();
    const gone = path.join(folder, 'gone');
    fs.mkdirSync(gone);
    const { status, err } = inRemoved(gone, ['mount']);
    expect([status, err]).toEqual([2, expect.stringContaining('the working directory does not exist any more')]);
    expect(inRemoved(gone, ['mount', 'x', '--mountinfo', tableFile()])).toMatchObject({ status: 2, err });
    expect(inRemoved(gone, ['mount', '/data', '--mountinfo', tableFile()])).toMatchObject({ status: 1, err: '' });
    expect(JSON.parse(inRemoved(gone, ['mount', 'x', '--json']).out)).toMatchObject({ class: 'unknown', path: 'x' });
  });

  it('documents its JSON', () => {
    const { out, status } = holdfast(['mount', '--help']);
    expect(status).toBe(0);
    for (const key of KEYS) expect(out).toContain(key);
  });
});
