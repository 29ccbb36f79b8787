// The config.yaml that configures a database: which file it is, and what it says.

import fs from 'node:fs';
import path from 'node:path';
import { type DatabaseConfig, NO_CONFIG, readDatabaseConfig, unreadableConfig } from '../../core/doctor/config.ts';

const NAME = 'config.yaml';
/** A configuration larger than this is none. */
const MAX_BYTES = 4 << 20;
/** `kanban/boards/<board>/kanban.db` lies three folders below its home. */
const MAX_ASCENT = 3;

/** The configuration of the home at `folder`. */
export async function configOfHome(folder: string): Promise<DatabaseConfig> {
  const file = path.join(folder, NAME);
  let text: string;
  try {
    const status = fs.statSync(file, { throwIfNoEntry: false });
    if (status === undefined) return NO_CONFIG;
    if (!status.isFile()) return unreadableConfig(file, 'it is not a regular file');
    if (status.size > MAX_BYTES) return unreadableConfig(file, `it has ${status.size} bytes`);
    text = fs.readFileSync(file, 'utf8');
  } catch (error) {
    return unreadableConfig(file, (error as Error).message);
  }
  const { parse } = await import('yaml');
  try {
    // As the agents read it: YAML 1.1, in which a bare OFF is false, and of a key that is given twice the last counts.
    return readDatabaseConfig(parse(text, { version: '1.1', logLevel: 'error', uniqueKeys: false }), file);
  } catch (error) {
    return unreadableConfig(file, `it is no YAML: ${firstLine((error as Error).message)}`);
  }
}

/** The configuration of the nearest folder above a database that has one. */
export async function configFor(database: string): Promise<DatabaseConfig> {
  let folder = path.dirname(database);
  for (let ascent = 0; ascent <= MAX_ASCENT; ascent++) {
    if (fs.existsSync(path.join(folder, NAME))) return configOfHome(folder);
    const parent = path.dirname(folder);
    if (parent === folder) break;
    folder = parent;
  }
  return NO_CONFIG;
}

function firstLine(text: string): string {
  return text.split('\n')[0]?.replace(/:$/, '') ?? '';
}
