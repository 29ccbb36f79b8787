// The databases of an agent's home: which files they are, and how doctor calls them.

import type { Finding } from '../../vfs/finding.ts';
import type { Host } from '../../vfs/host.ts';
import { usageError } from '../error.ts';
import { Unreadable } from './read-file.ts';

export interface HomeDatabase {
  /** Its path relative to the home: `profiles/work/state.db`. */
  readonly label: string;
  readonly path: string;
}

/** The transcripts: always named, so that it can be said that they are missing. */
const STATE = 'state.db';
/** The small stores, in a home and in each of its profiles. */
const STORES = [
  'shared-state.db',
  'projects.db',
  'kanban.db',
  'cron/executions.db',
  'verification_evidence.db',
  'discord_recovery.db',
  'memory_store.db',
];
const BOARDS = 'kanban/boards';
const PROFILES = 'profiles';
/** The profile that is the home itself. */
export const DEFAULT_PROFILE = 'default';

/**
 * The databases that exist below `home`, sorted by label, and its `state.db` whether or not it exists. With a profile only that
 * profile's; `default` is the home itself. Each real file is named once. `onFinding` hears of folders that could not be looked
 * into, so that databases in them may be missing.
 * @throws UsageError for a profile that is no name, or does not exist.
 */
export function databasesOf(
  host: Host,
  home: string,
  profile?: string,
  onFinding: (finding: Finding) => void = () => {},
): HomeDatabase[] {
  const root = home.length > 1 ? home.replace(/\/+$/, '') || '/' : home;
  const search = new Search(host, root, onFinding);
  if (profile === undefined) {
    search.addFolder('', true);
    for (const name of search.profiles()) search.addFolder(`${PROFILES}/${name}/`, false);
  } else {
    demandProfileName(profile);
    if (profile !== DEFAULT_PROFILE && !search.isFolder(`${PROFILES}/${profile}`)) throw unknownProfile(search, root, profile);
    search.addFolder(profile === DEFAULT_PROFILE ? '' : `${PROFILES}/${profile}/`, true);
  }
  return search.sorted();
}

class Search {
  readonly #host: Host;
  readonly #home: string;
  readonly #onFinding: (finding: Finding) => void;
  readonly #databases: HomeDatabase[] = [];

  constructor(host: Host, home: string, onFinding: (finding: Finding) => void) {
    this.#host = host;
    this.#home = home;
    this.#onFinding = onFinding;
  }

  /** A home or a profile, as the first part of a label. */
  addFolder(folder: string, always: boolean): void {
    if (always || this.#isDatabase(folder + STATE)) this.#add(folder + STATE);
    const boards = this.#namesIn(folder + BOARDS).map((board) => `${BOARDS}/${board}/kanban.db`);
    for (const store of [...STORES, ...boards]) if (this.#isDatabase(folder + store)) this.#add(folder + store);
  }

  profiles(): string[] {
    return this.#namesIn(PROFILES).filter((name) => this.isFolder(`${PROFILES}/${name}`));
  }

  isFolder(label: string): boolean {
    const status = this.#host.status(this.#pathOf(label));
    return typeof status !== 'number' && status.type === 'directory';
  }

  sorted(): HomeDatabase[] {
    const byReal = new Map<string, HomeDatabase>();
    for (const database of this.#databases.sort((a, b) => (a.label < b.label ? -1 : 1))) {
      const real = this.#host.realPath(database.path);
      const key = typeof real === 'string' ? real : database.path;
      if (!byReal.has(key)) byReal.set(key, database);
    }
    return [...byReal.values()];
  }

  #add(label: string): void {
    this.#databases.push({ label, path: this.#pathOf(label) });
  }

  #pathOf(label: string): string {
    return this.#home === '/' ? `/${label}` : `${this.#home}/${label}`;
  }

  /** A regular file, or a link to one; also what cannot be seen, so that it is said why. */
  #isDatabase(label: string): boolean {
    const status = this.#host.status(this.#pathOf(label));
    if (typeof status !== 'number') return status.type === 'file';
    return Unreadable.failure(this.#host, status).why !== 'absent';
  }

  #namesIn(label: string): string[] {
    const path = this.#pathOf(label);
    const names = this.#host.list(path);
    if (typeof names !== 'number') return names.sort();
    const { why, reason } = Unreadable.failure(this.#host, names);
    if (why !== 'absent') {
      const message = `the folder could not be looked into: ${reason}; databases in it are not examined`;
      this.#onFinding({ severity: 'warning', code: 'folder-unreadable', path, message });
    }
    return [];
  }
}

/** The name of one folder, and never a way out of it. */
function demandProfileName(profile: string): void {
  const isName = profile !== '' && profile !== '.' && profile !== '..' && !/[/\0]/.test(profile) && profile.isWellFormed();
  if (!isName)
    throw usageError(`${JSON.stringify(profile)} is not the name of a profile: that is the name of a folder in ${PROFILES}/`);
}

function unknownProfile(search: Search, home: string, profile: string): Error {
  const names = [DEFAULT_PROFILE, ...search.profiles().filter((name) => name !== DEFAULT_PROFILE)];
  return usageError(`There is no profile ${JSON.stringify(profile)} in ${home}; there are: ${names.join(', ')}`, home);
}
