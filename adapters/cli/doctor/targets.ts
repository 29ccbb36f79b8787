// Which databases a doctor is asked about, and the configuration that each of them has.

import os from 'node:os';
import path from 'node:path';
import type { DatabaseConfig } from '../../../core/doctor/config.ts';
import type { Target } from '../../../core/doctor/examine.ts';
import { readDatabaseHeader } from '../../../core/doctor/header.ts';
import { databasesOf, type HomeDatabase } from '../../../core/doctor/home.ts';
import { UsageError } from '../../../core/error.ts';
import type { Finding } from '../../../vfs/finding.ts';
import type { Host } from '../../../vfs/host.ts';
import { CallError } from '../call-error.ts';
import { configFor, configOfHome } from '../config-file.ts';
import { absolutePath } from '../working-directory.ts';
import type { DoctorOptions } from './command.ts';

/** The databases in order, and each configuration once. */
export interface Asked {
  targets: Target[];
  configs: DatabaseConfig[];
  /** Folders that could not be looked into. */
  findings: Finding[];
}

export async function targetsOf(host: Host, paths: readonly string[], options: DoctorOptions): Promise<Asked> {
  if (paths.some((given) => given === '')) throw new CallError('PATH is empty');
  if (options.profile !== undefined && paths.length > 0)
    throw new CallError('--profile names databases of the home; give it or a PATH');
  const targets: Target[] = [];
  const findings: Finding[] = [];
  const note = (finding: Finding) => findings.push(finding);
  const configs = new Map<string | undefined, DatabaseConfig>();
  const add = async (label: string, file: string, isPrivate: boolean, home: string | undefined) => {
    const found = await (home === undefined ? configFor(file) : configOfHome(home));
    const config = configs.get(found.path) ?? found;
    configs.set(found.path, config);
    targets.push({ label, path: file, config, private: isPrivate });
  };
  for (const given of paths) {
    const file = absolutePath(given);
    if (isFolder(host, file))
      for (const found of inFolder(host, file, note)) await add(found.label, found.path, found.inHome, undefined);
    else await add(path.basename(file), file, path.basename(file) === 'state.db', options.home);
  }
  if (paths.length === 0) {
    const home = absolutePath(options.home ?? process.env.HERMES_HOME ?? path.join(os.homedir(), '.hermes'));
    if (!isFolder(host, home)) throw new CallError(`there is no home ${home}; name it with --home, or name databases`);
    for (const found of inHome(host, home, options.profile, note)) await add(found.label, found.path, true, undefined);
  }
  return { targets, configs: [...configs.values()].filter((config) => config.path !== undefined), findings };
}

/** A profile that does not exist was a mistake in the call. */
function inHome(host: Host, home: string, profile: string | undefined, note: (finding: Finding) => void): HomeDatabase[] {
  try {
    return databasesOf(host, home, profile, note);
  } catch (error) {
    throw error instanceof UsageError ? new CallError(error.message) : error;
  }
}

/** The databases of a home; of a folder that is none, every file in it that is a database. */
function inFolder(host: Host, folder: string, note: (finding: Finding) => void): (HomeDatabase & { inHome: boolean })[] {
  const known = databasesOf(host, folder, undefined, note).map((found) => ({ ...found, inHome: true }));
  if (known.some(({ path: file }) => typeof host.status(file) !== 'number')) return known;
  const names = host.list(folder);
  if (typeof names === 'number') return known;
  const found = names.sort().map((name) => ({ label: name, path: path.join(folder, name), inHome: false }));
  const databases = found.filter(({ path: file }) => readDatabaseHeader(host, file).ok);
  return databases.length > 0 ? databases : known;
}

/** What cannot be seen is examined as a file, so that it is said why. */
function isFolder(host: Host, file: string): boolean {
  const status = host.status(file);
  return typeof status !== 'number' && status.type === 'directory';
}
