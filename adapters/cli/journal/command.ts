// The command `holdfast journal`: finds the file, then shows its journal mode or converts it.

import type { DatabaseConfig } from '../../../core/doctor/config.ts';
import { Errnos } from '../../../vfs/errno.ts';
import type { Host } from '../../../vfs/host.ts';
import { resolvePath } from '../../../vfs/paths.ts';
import { CallError } from '../call-error.ts';
import { configFor, configOfHome } from '../config-file.ts';
import { EXIT } from '../exit.ts';
import { jsonDocument } from '../output/document.ts';
import { stdout } from '../output/output.ts';
import { loadHost } from '../runtime.ts';
import { convert } from './convert.ts';
import { show } from './show.ts';

export interface JournalOptions {
  home?: string;
  force?: boolean;
  json?: boolean;
}

/** Answers the exit status. */
export async function runJournal(file: string, mode: 'wal' | 'delete' | undefined, options: JournalOptions): Promise<number> {
  if (options.force && mode !== 'wal') throw new CallError('--force is for the conversion to wal alone');
  if (file === '') throw new CallError('FILE is empty');
  const host = await loadHost();
  const found = existing(host, file);
  if ('problem' in found) {
    if (!options.json) throw new CallError(found.problem);
    stdout.write(jsonDocument({ path: file, error: { message: found.problem } }));
    return EXIT.usage;
  }
  const { path } = found;
  const config: DatabaseConfig = await (options.home === undefined ? configFor(path) : configOfHome(options.home));
  return mode === undefined ? show(host, path, config, options) : convert(path, mode, config, options);
}

/** The real path of a file that must be there and be a file. */
function existing(host: Host, file: string): { path: string } | { problem: string } {
  const errnos = new Errnos(host.platform);
  const path = resolvePath(host, errnos, file);
  if (typeof path === 'number') return { problem: `${file}: ${errnos.meaning(-path)}` };
  const status = host.status(path);
  if (typeof status === 'number') return { problem: `${path}: ${errnos.meaning(-status)}` };
  return status.type === 'file' ? { path } : { problem: `${path} is not a regular file` };
}
