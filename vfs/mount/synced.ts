// Folders that a program keeps in sync with other machines, file by file, which tears a database from its sidecars.

import { directoryOf } from '../paths.ts';
import { type GroundHost, locate } from './locate.ts';

export interface Synced {
  /** `Dropbox`, `Syncthing`, … */
  readonly service: string;
  /** What shows it: `/home/ann/Dropbox holds .dropbox.cache`. */
  readonly evidence: string;
}

/** What each program leaves in the folder that it keeps in sync. */
const MARKS: readonly (readonly [service: string, name: RegExp])[] = [
  ['Dropbox', /^\.dropbox(?:\.cache)?$/],
  ['Syncthing', /^\.stfolder$/],
  ['Nextcloud or ownCloud', /^(?:\._?sync_[^/]*\.db|\.(?:nextcloud|owncloud)sync\.log)$/],
  ['OneDrive', /^\.849C9593-D756-4E56-8D6E-42412F2A707B$/i],
  ['Google Drive', /^\.tmp\.drive(?:download|upload)$/],
];

/** How the folders themselves are called. */
const FOLDERS: readonly (readonly [service: string, name: RegExp])[] = [
  ['Dropbox', /^Dropbox(?: \(.+\))?$/],
  ['OneDrive', /^OneDrive(?: ?- ?.+)?$/],
  ['Google Drive', /^Google ?Drive(?:-.+)?$/],
  ['iCloud Drive', /^iCloud ?Drive$/],
];

/** The program that keeps the folder of this database in sync, as far as it can be seen from here; the nearest sign counts. */
export function syncedBy(host: GroundHost, path: string): Synced | undefined {
  for (let folder = directoryOf(locate(host, path).resolved); ; folder = directoryOf(folder)) {
    const sign = markIn(host, folder) ?? nameOf(folder);
    if (sign) return sign;
    if (folder === '/' || folder === '.') return undefined;
  }
}

function markIn(host: GroundHost, folder: string): Synced | undefined {
  const names = host.list(folder);
  if (typeof names === 'number') return undefined;
  for (const [service, mark] of MARKS) {
    const found = names.find((name) => mark.test(name) && !isSettings(host, folder, name));
    if (found !== undefined) return { service, evidence: `${folder} holds ${found}` };
  }
  return undefined;
}

/** In a home, .dropbox is a folder with the program's own settings; in what is kept in sync, it is a file. */
function isSettings(host: GroundHost, folder: string, name: string): boolean {
  if (name !== '.dropbox') return false;
  const status = host.status(`${folder}/${name}`);
  return typeof status !== 'number' && status.type === 'directory';
}

function nameOf(folder: string): Synced | undefined {
  const name = folder.slice(folder.lastIndexOf('/') + 1);
  const above = directoryOf(folder);
  const evidence = `it lies in ${folder}`;
  if (above.endsWith('/Library') && name === 'Mobile Documents') return { service: 'iCloud Drive', evidence };
  const known = FOLDERS.find(([, pattern]) => pattern.test(name));
  if (known) return { service: known[0], evidence };
  // macOS has all its cloud drives there, each in a folder of its name: https://developer.apple.com/documentation/fileprovider
  return above.endsWith('/Library/CloudStorage') ? { service: `a cloud drive (${name})`, evidence } : undefined;
}

/** What stands between the stem of a name and its extension. OneDrive and iCloud use names that people give files as well. */
const CONFLICT = [
  // Dropbox and Nextcloud, the former in the user's language.
  /^ \(.*(?:conflict|conflit|konflikt).*\)$/i,
  /^\.sync-conflict-\d{8}-\d{6}(?:-\w+)?$/,
  /^_conflict-\d{8}-\d{6}$/,
];

/** Files beside the database that were made by such a program where two machines had changed it, or a sidecar; sorted. */
export function conflictCopies(host: GroundHost, path: string): string[] {
  const { resolved } = locate(host, path);
  const folder = directoryOf(resolved);
  const names = host.list(folder);
  if (typeof names === 'number') return [];
  const base = resolved.slice(resolved.lastIndexOf('/') + 1);
  const own = ['', '-wal', '-shm', '-journal'].map((suffix) => partsOf(base + suffix));
  return names
    .filter((name) => own.some((parts) => isConflictCopy(name, parts)))
    .map((name) => (folder === '/' ? `/${name}` : `${folder}/${name}`))
    .sort();
}

function partsOf(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? { stem: name.slice(0, dot), extension: name.slice(dot) } : { stem: name, extension: '' };
}

function isConflictCopy(name: string, { stem, extension }: { stem: string; extension: string }): boolean {
  if (!name.startsWith(stem) || !name.endsWith(extension)) return false;
  const between = name.slice(stem.length, name.length - extension.length);
  return CONFLICT.some((pattern) => pattern.test(between));
}
