// The config.yaml that configures a database: which file it is, and what it says.

import fs from 'node:fs';
import path from 'node:path';
import { type DatabaseConfig, NO_CONFIG, readDatabaseConfig, unreadableConfig } from '../../core/doctor/config.ts';
import { Unusable, wholeText } from './small-text.ts';

const NAME = 'config.yaml';
/** A configuration larger than this is none. */
const MAX_BYTES = 1 << 20;
/** `kanban/boards/<board>/kanban.db` lies three folders below its home. */
const MAX_ASCENT = 3;
/** What says of a name that there is no such file. */
const ABSENT = ['ENOENT', 'ENOTDIR'];
/** What says that the folder itself is out of reach, and with it the database in it, of which that is said. */
const OUT_OF_REACH = [...ABSENT, 'EACCES', 'ELOOP', 'ENAMETOOLONG'];

/** The configuration of the home at `folder`. */
export async function configOfHome(folder: string): Promise<DatabaseConfig> {
  const file = path.join(folder, NAME);
  if (isAbsent(file, ABSENT)) return NO_CONFIG;
  let text: string;
  try {
    text = wholeText(file, MAX_BYTES);
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    return unreadableConfig(file, error.message);
  }
  const { NoYaml, yamlValue } = await import('./yaml-value.ts');
  try {
    return readDatabaseConfig(yamlValue(text), file);
  } catch (error) {
    // A value that contains itself, or is built of others without end, cannot be shown.
    if (!(error instanceof NoYaml || error instanceof TypeError || error instanceof RangeError)) throw error;
    return unreadableConfig(file, firstLine(error.message));
  }
}

/** The configuration of the nearest folder above a database that has one. */
export async function configFor(database: string): Promise<DatabaseConfig> {
  let folder = path.dirname(database);
  for (let ascent = 0; ascent <= MAX_ASCENT; ascent++) {
    if (!isAbsent(path.join(folder, NAME), OUT_OF_REACH)) return configOfHome(folder);
    const parent = path.dirname(folder);
    if (parent === folder) break;
    folder = parent;
  }
  return NO_CONFIG;
}

/** By its name alone: a link that leads nowhere is there, and what it was meant to configure is not in effect. */
function isAbsent(file: string, errnos: readonly string[]): boolean {
  try {
    fs.lstatSync(file);
    return false;
  } catch (error) {
    return errnos.includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

function firstLine(text: string): string {
  return text.split('\n')[0]?.replace(/:$/, '') ?? '';
}
