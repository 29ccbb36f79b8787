// What --version prints: Holdfast, the engine, SQLite, and what they run on.

import { createRequire } from 'node:module';
import type { DatabaseInfo } from '../../core/database/info.ts';
import type { Output } from './output/output.ts';
import { loadOpener } from './runtime.ts';

/** By the package's own name, so that it is found from the sources and from the bundle alike. */
export function ownVersion(): string {
  return createRequire(import.meta.url)('holdfast/package.json').version;
}

/** Asked of a database in memory, which never waits for a lock. */
export async function engineVersions(): Promise<DatabaseInfo> {
  const openSync = await loadOpener();
  const db = openSync(':memory:');
  try {
    return db.info;
  } finally {
    db.close();
  }
}

export async function printVersion(out: Output): Promise<void> {
  const { engine, sqliteVersion, sourceId } = await engineVersions();
  const { bun, node } = process.versions;
  const runtime = bun === undefined ? `Node ${node}` : `Bun ${bun}`;
  out.write(`holdfast ${ownVersion()}\n`);
  out.write(`engine   ${engine}\n`);
  out.write(`SQLite   ${sqliteVersion} (${sourceId})\n`);
  out.write(`runtime  ${runtime}, ${process.platform} ${process.arch}\n`);
}
