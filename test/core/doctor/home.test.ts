// The databases of a home and of its profiles: which are found, under which name, and what is refused as a profile.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { databasesOf } from '../../../core/doctor/home.ts';
import { UsageError } from '../../../core/error.ts';
import { Errnos } from '../../../vfs/errno.ts';
import type { Finding } from '../../../vfs/finding.ts';
import { failure } from '../../support/failure.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { changedHost, host } from './looking.ts';

const errnos = new Errnos(host.platform);

function homeWith(files: readonly string[]): string {
  const home = tempFolder();
  for (const file of files) {
    fs.mkdirSync(path.join(home, path.dirname(file)), { recursive: true });
    fs.writeFileSync(path.join(home, file), '');
  }
  return home;
}

const labels = (home: string, profile?: string) => databasesOf(host, home, profile).map(({ label }) => label);

const OF_HOME = [
  'cron/executions.db',
  'discord_recovery.db',
  'kanban.db',
  'kanban/boards/a/kanban.db',
  'kanban/boards/看板 b/kanban.db',
  'memory_store.db',
  'projects.db',
  'shared-state.db',
  'state.db',
  'verification_evidence.db',
];
const OF_WORK = ['profiles/work/cron/executions.db', 'profiles/work/kanban/boards/x/kanban.db', 'profiles/work/state.db'];
const OTHERS = [
  'other.db',
  'state.db-wal',
  'state.db.zeroed-20260101.bak',
  'profiles/work/other.db',
  'profiles/work/profiles/inner/state.db',
  'profiles/state.db',
  'kanban/boards/kanban.db',
  'kanban/boards/a/b/kanban.db',
  'cron/other.db',
  'plugins/p/state.db',
];

describe('a home', () => {
  it('has its own databases and those of all profiles, sorted, and no other files', () => {
    const home = homeWith([...OF_HOME, ...OF_WORK, 'profiles/äther/projects.db', ...OTHERS]);
    const expected = [...OF_HOME, ...OF_WORK, 'profiles/äther/projects.db'].sort();
    expect(labels(home)).toEqual(expected);
    expect(labels(`${home}/`)).toEqual(expected);
    expect(databasesOf(host, `${home}//`).find(({ label }) => label === 'state.db')?.path).toBe(`${home}/state.db`);
  });

  it('always has a state.db, so that it can be said to be missing', () => {
    expect(labels(tempFolder())).toEqual(['state.db']);
    expect(labels(homeWith(['kanban.db']))).toEqual(['kanban.db', 'state.db']);
    expect(labels('/nowhere/at/all')).toEqual(['state.db']);
    expect(databasesOf(host, '/').map((found) => found.path)).toContain('/state.db');
    // A profile without one is none of its business.
    expect(labels(homeWith(['profiles/new/config.yaml', 'profiles/work/kanban.db']))).toEqual([
      'profiles/work/kanban.db',
      'state.db',
    ]);
  });

  it('follows links to regular files, names each file once, and knows folders from files', () => {
    const home = homeWith(['state.db', 'real.db']);
    fs.symlinkSync('real.db', path.join(home, 'projects.db'));
    fs.symlinkSync('nowhere', path.join(home, 'kanban.db'));
    fs.symlinkSync('/dev/null', path.join(home, 'memory_store.db'));
    fs.mkdirSync(path.join(home, 'shared-state.db'));
    fs.mkdirSync(path.join(home, 'profiles'));
    fs.symlinkSync('..', path.join(home, 'profiles', 'self'));
    fs.symlinkSync('self', path.join(home, 'profiles', 'again'));
    fs.symlinkSync('loop', path.join(home, 'profiles', 'loop'));
    const found = databasesOf(host, home);
    expect(found.map(({ path: file }) => fs.realpathSync(file)).sort()).toEqual([`${home}/real.db`, `${home}/state.db`]);
  });

  it('says which folder it could not look into', () => {
    const home = homeWith(['profiles/work/state.db']);
    const denied = changedHost({ list: (name) => (name.endsWith('/profiles') ? -errnos.number('EACCES') : host.list(name)) });
    const findings: Finding[] = [];
    expect(databasesOf(denied, home, undefined, (finding) => findings.push(finding)).map(({ label }) => label)).toEqual([
      'state.db',
    ]);
    expect(findings).toMatchObject([
      { code: 'folder-unreadable', path: `${home}/profiles`, message: expect.stringContaining('EACCES') },
    ]);
    const unseen = changedHost({ status: (name) => (name.endsWith('kanban.db') ? -errnos.number('EACCES') : host.status(name)) });
    expect(databasesOf(unseen, home).map(({ label }) => label)).toContain('kanban.db');
  });
});

describe('a profile', () => {
  const home = () => homeWith([...OF_HOME, ...OF_WORK, 'profiles/empty/config.yaml', 'profiles/a file', 'profiles/-p/state.db']);

  it('has its own databases only', () => {
    expect(labels(home(), 'work')).toEqual(OF_WORK);
    expect(labels(home(), 'empty')).toEqual(['profiles/empty/state.db']);
    expect(labels(home(), '-p')).toEqual(['profiles/-p/state.db']);
    expect(labels(home(), 'default')).toEqual(OF_HOME);
  });

  it.each(['', '.', '..', '../..', 'work/', '/etc', 'a/b', 'a\0b', '\ud800'])('is never a path: %j', (name) => {
    const error = failure(() => databasesOf(host, home(), name));
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toContain('is not the name of a profile');
  });

  it.each(['nobody', 'a file', 'WORK ', '...'])('that does not exist is refused with those that do: %j', (name) => {
    const error = failure(() => databasesOf(host, home(), name));
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toContain(`There is no profile ${JSON.stringify(name)}`);
    expect(error.message).toMatch(/there are: default, -p, empty, work$/);
  });
});
