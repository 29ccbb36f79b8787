// Folders that Dropbox and its like keep in sync, as far as they can be seen, and the copies that conflicts leave.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { LookingHost } from '../../../adapters/node/looking-host.ts';
import { conflictCopies, syncedBy } from '../../../vfs/mount/synced.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const host = new LookingHost('linux');

/** Makes the files (and folders, where a name ends in a slash), and answers the path of a database `place`. */
function database(place: string, made: readonly string[]): string {
  const folder = tempFolder();
  for (const name of [...made, place]) {
    const file = path.join(folder, name);
    fs.mkdirSync(name.endsWith('/') ? file : path.dirname(file), { recursive: true });
    if (!name.endsWith('/')) fs.writeFileSync(file, '');
  }
  return path.join(folder, place);
}

describe('a synced folder', () => {
  it.each([
    ['Dropbox', 'box/app/x.db', ['box/.dropbox.cache/']],
    ['Dropbox', 'box/app/x.db', ['box/.dropbox']],
    ['Dropbox', 'Dropbox/x.db', []],
    ['Dropbox', 'Dropbox (Personal)/x.db', []],
    ['Syncthing', 'sync/a/b/x.db', ['sync/.stfolder/']],
    ['Syncthing', 'sync/x.db', ['sync/.stfolder']],
    ['Nextcloud or ownCloud', 'cloud/x.db', ['cloud/.sync_0123456789ab.db']],
    ['Nextcloud or ownCloud', 'cloud/a/x.db', ['cloud/._sync_0123456789ab.db']],
    ['Nextcloud or ownCloud', 'cloud/x.db', ['cloud/.nextcloudsync.log']],
    ['OneDrive', 'one/x.db', ['one/.849C9593-D756-4E56-8D6E-42412F2A707B']],
    ['OneDrive', 'OneDrive - Firm/x.db', []],
    ['Google Drive', 'g/x.db', ['g/.tmp.driveupload/']],
    ['Google Drive', 'Library/CloudStorage/GoogleDrive-ann@example.org/My Drive/x.db', []],
    ['OneDrive', 'Library/CloudStorage/OneDrive-Personal/x.db', []],
    ['a cloud drive (Box-Box)', 'Library/CloudStorage/Box-Box/x.db', []],
    ['iCloud Drive', 'Library/Mobile Documents/com~apple~CloudDocs/x.db', []],
    // The nearest sign counts.
    ['Syncthing', 'Dropbox/sync/x.db', ['Dropbox/sync/.stfolder/']],
  ])('of %s is seen: %s with %j', (service, place, made) => {
    const file = database(place, made);
    const synced = syncedBy(host, file);
    expect(synced?.service).toBe(service);
    const sign = made[0]?.replace(/\/$/, '').split('/').pop();
    if (sign)
      expect(synced?.evidence).toBe(
        `${file.slice(0, file.indexOf(made[0]?.split('/')[0] ?? ''))}${path.dirname(made[0] ?? '')} holds ${sign}`,
      );
    else expect(synced?.evidence).toMatch(/^it lies in \//);
  });

  it.each([
    ['x.db', []],
    // Settings of the program, in a home.
    ['home/x.db', ['home/.dropbox/']],
    ['a/x.db', ['b/.stfolder/', 'a/.stfolder.x']],
    ['OneDriver/x.db', []],
    ['CloudStorage/thing/x.db', []],
    ['sync/x.db', ['sync/sync_1.db', 'sync/.sync_1.txt']],
  ])('is not seen in %s with %j', (place, made) => {
    expect(syncedBy(host, database(place, made))).toBeUndefined();
  });

  it('is seen through a link, and for a file that is not there yet', () => {
    const file = database('sync/x.db', ['sync/.stfolder/']);
    const link = path.join(tempFolder(), 'link.db');
    fs.symlinkSync(file, link);
    expect(syncedBy(host, link)?.service).toBe('Syncthing');
    expect(syncedBy(host, path.join(path.dirname(file), 'new/deep/x.db'))?.service).toBe('Syncthing');
  });
});

describe('conflict copies', () => {
  const COPIES = [
    'x (conflicted copy 2026-01-02 112233).db',
    "x (Ann's conflicted copy 2026-01-02).db",
    'x (In Konflikt stehende Kopie von Ann 2026-01-02).db',
    'x (Copie en conflit de Ann 2026-01-02).db',
    'x.sync-conflict-20260102-112233-ABCDEF7.db',
    'x.sync-conflict-20260102-112233-ABCDEF7.db-wal',
    'x (conflicted copy 2026-01-02 112233).db-shm',
    'x_conflict-20260102-112233.db',
  ];

  it('of a database and of its sidecars are found, and nothing else', () => {
    const others = [
      'x.db-wal',
      'x-1.db',
      'x (1).db',
      'x (copy).db',
      'y (conflicted copy).db',
      'x.sync-conflict.db',
      'xx.db',
      'x (conflict).txt',
    ];
    const file = database(
      'a/x.db',
      [...COPIES, ...others].map((name) => `a/${name}`),
    );
    expect(conflictCopies(host, file)).toEqual(COPIES.map((name) => path.join(path.dirname(file), name)).sort());
  });

  it('of names without or with an odd extension are found', () => {
    const state = database('state', ['state (conflicted copy 2026-01-02)', 'state.sync-conflict-20260102-112233-ABCDEF7']);
    expect(conflictCopies(host, state)).toHaveLength(2);
    const dotted = database('.state', ['.state (conflicted copy)', '.state']);
    expect(conflictCopies(host, dotted)).toHaveLength(1);
    expect(conflictCopies(host, '/no/such/folder/x.db')).toEqual([]);
  });
});
