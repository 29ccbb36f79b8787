// Which config.yaml is read, what is never read, and that none makes us wait or goes unmentioned.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { configFor, configOfHome } from '../../../adapters/cli/config-file.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { demand, findRoot, findTool } from '../../support/tools.ts';

const SETTING = 'database:\n  journal_mode: delete\n';

function home(make: (file: string) => void): string {
  const folder = tempFolder();
  make(path.join(folder, 'config.yaml'));
  return folder;
}

async function whyUnread(make: (file: string) => void): Promise<string> {
  const folder = home(make);
  const configs = [await configOfHome(folder), await configFor(path.join(folder, 'kanban', 'boards', 'a', 'kanban.db'))];
  for (const { path: file, journalMode, findings } of configs) {
    expect([file, journalMode]).toEqual([path.join(folder, 'config.yaml'), undefined]);
    expect(findings).toMatchObject([{ severity: 'error', code: 'config-unreadable' }]);
  }
  return configs[0]?.findings[0]?.message ?? '';
}

describe('a configuration that is read', () => {
  it.each([
    ['as it is', Buffer.from(SETTING)],
    ['with the mark of UTF-8', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(SETTING)])],
  ])('%s', async (_, bytes) => {
    const folder = home((file) => fs.writeFileSync(file, bytes));
    expect(await configOfHome(folder)).toMatchObject({ journalMode: 'delete', findings: [] });
  });

  it('through a link', async () => {
    const real = path.join(tempFolder(), 'real.yaml');
    fs.writeFileSync(real, SETTING);
    expect(await configOfHome(home((file) => fs.symlinkSync(real, file)))).toMatchObject({ journalMode: 'delete', findings: [] });
  });

  it('is none where there is none, or it is empty', async () => {
    expect(await configOfHome(tempFolder())).toMatchObject({ path: undefined, findings: [] });
    expect(await configOfHome(home((file) => fs.writeFileSync(file, '')))).toMatchObject({ findings: [] });
    expect(await configFor('/nowhere/at/all/x.db')).toMatchObject({ path: undefined, findings: [] });
    expect(await configFor(`/${'x'.repeat(300)}/x.db`)).toMatchObject({ path: undefined, findings: [] });
  });
});

describe('a configuration that cannot be read is an error', () => {
  it.each([
    ['a link to itself', (file: string) => fs.symlinkSync(file, file), /ELOOP|symbolic links/],
    ['a link to nothing', (file: string) => fs.symlinkSync('/nowhere/at/all', file), /ENOENT/],
    ['a device', (file: string) => fs.symlinkSync('/dev/zero', file), /not a regular file/],
    ['a folder', (file: string) => fs.mkdirSync(file), /not a regular file/],
    ['too large', (file: string) => fs.writeFileSync(file, '#'.repeat((1 << 20) + 1)), /1048577 bytes, more than the 1048576/],
    ['UTF-16', (file: string) => fs.writeFileSync(file, Buffer.from(`\ufeff${SETTING}`, 'utf16le')), /UTF-16/],
    ['UTF-16 without its mark', (file: string) => fs.writeFileSync(file, Buffer.from(SETTING, 'utf16le')), /UTF-16/],
    [
      'Latin-1',
      (file: string) => fs.writeFileSync(file, Buffer.from(`# gr\u00fc\u00dfe\n${SETTING}`, 'latin1')),
      /not text in UTF-8/,
    ],
    ['no YAML', (file: string) => fs.writeFileSync(file, 'database: [\n'), /it is no YAML/],
    ['nested too deeply', (file: string) => fs.writeFileSync(file, '['.repeat(20_000)), /nested more than 100/],
    ['nested too deeply by lists', (file: string) => fs.writeFileSync(file, '- '.repeat(20_000)), /nested more than 100/],
    ['nested too deeply by keys', (file: string) => fs.writeFileSync(file, '? '.repeat(20_000)), /nested more than 100/],
    ['too busy', (file: string) => fs.writeFileSync(file, 'a: 1\n'.repeat(40_000)), /more than 100000 words/],
    ['two documents', (file: string) => fs.writeFileSync(file, `${SETTING}---\n${SETTING}`), /several documents/],
    ['many aliases', (file: string) => fs.writeFileSync(file, `a: &a [1]\nb: [${'*a,'.repeat(2000)}]\n`), /alias/],
    ['a circle', (file: string) => fs.writeFileSync(file, 'database: &a\n  journal_mode: *a\n'), /could not be read/],
  ] as const)('%s', async (_, make, why) => {
    expect(await whyUnread(make)).toMatch(why);
  });

  it('a FIFO, for whose writer nobody waits', async (context) => {
    const mkfifo = demand(context, findTool('mkfifo'));
    expect(await whyUnread((file) => execFileSync(mkfifo, [file]))).toMatch(/not a regular file/);
  });

  it.skipIf(process.platform !== 'linux')(
    'a file of the kernel, such as the one that waits for its messages',
    async (context) => {
      demand(context, findRoot());
      for (const file of ['/proc/kmsg', '/proc/self/status', '/sys/kernel/mm/transparent_hugepage/enabled'])
        if (fs.existsSync(file)) expect(await whyUnread((name) => fs.symlinkSync(file, name))).toMatch(/file of the kernel/);
    },
  );
});
