// Whether a database really opens: SQLite itself reads its schema, through a host that cannot change anything.

import type { Host } from '../../vfs/host.ts';
import { Database } from '../database/database.ts';
import { Runtime } from '../database/runtime.ts';
import type { Engine } from '../engine/engine.ts';
import { HoldfastError } from '../error.ts';
import { isHotJournal } from './beside.ts';
import { marksOf } from './file-marks.ts';
import { FrozenHost } from './frozen-host.ts';
import { linkedSidecars } from './surroundings.ts';

export type Opening =
  /** `sessions`: rows of the table of that name; undefined where there is none, or it is too large to count quickly. */
  | { readonly state: 'opens'; readonly tables: number; readonly sessions: number | undefined }
  /** It was not tried, or what came of it proves nothing. */
  | { readonly state: 'skipped'; readonly code: SkipCode; readonly reason: string }
  | { readonly state: 'fails'; readonly error: HoldfastError };

export type SkipCode = 'sidecar-link' | 'needs-recovery' | 'large-wal' | 'utf16' | 'changed';

/** A log of this size is read through in a fraction of a second; SQLite does so when it rebuilds a wal-index. */
const LARGEST_LOG = 64 * 2 ** 20;
/** Rows are counted up to here. */
const MOST_ROWS = 100_000;
const UTF16 = 'HOLDFAST_UTF16';

/** One engine for all databases that are tried; it is used for nothing else. */
export class Opener {
  readonly #host: Host;
  readonly #runtime: Runtime;

  /** @param engine New, and not in use by any other Runtime. */
  constructor(engine: Engine, host: Host) {
    this.#host = host;
    this.#runtime = new Runtime(engine, new FrozenHost(host));
  }

  /**
   * Reads the schema of the database at a resolved path. Takes no lock and changes nothing: no byte, no sidecar, no time. So it
   * is for a file that nobody has open; if it changes meanwhile, the answer is `skipped`.
   */
  tryOpen(path: string): Opening {
    const [link] = linkedSidecars(this.#host, path);
    if (link !== undefined)
      return {
        state: 'skipped',
        code: 'sidecar-link',
        reason: `${link} is a symbolic link, with which SQLite refuses to open it`,
      };
    if (isHotJournal(this.#host, `${path}-journal`)) {
      const reason = 'it needs recovery: the next open plays its rollback journal back, and only then it can be read';
      return { state: 'skipped', code: 'needs-recovery', reason };
    }
    const log = this.#host.status(`${path}-wal`);
    if (typeof log !== 'number' && log.size > LARGEST_LOG) {
      const reason = `its WAL of ${Math.round(log.size / 2 ** 20)} MiB would have to be read through`;
      return { state: 'skipped', code: 'large-wal', reason };
    }
    const before = marksOf(this.#host, path);
    const opening = this.#read(path);
    if (opening.state !== 'skipped' && marksOf(this.#host, path) !== before)
      return { state: 'skipped', code: 'changed', reason: 'somebody changed it while it was being read' };
    return opening;
  }

  #read(path: string): Opening {
    try {
      const db = new Database(this.#runtime, path, { readonly: true, journal: 'keep', timeout: 0, onFinding: () => {} });
      try {
        const tables = db.prepare(`SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'`);
        return { state: 'opens', tables: tables.pluck().get() as number, sessions: countSessions(db) };
      } finally {
        // What SQLite cannot do when it closes, it was not meant to do.
        closeQuietly(db);
      }
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      if (error.code !== UTF16) return { state: 'fails', error };
      return { state: 'skipped', code: 'utf16', reason: 'it is a UTF-16 database, which this build of SQLite does not read' };
    }
  }
}

function countSessions(db: Database): number | undefined {
  const isTable = db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'sessions' AND rootpage > 0`);
  if (isTable.get() === undefined) return undefined;
  const counted = db
    .prepare(`SELECT count(*) FROM (SELECT 1 FROM main.sessions LIMIT ${MOST_ROWS + 1})`)
    .pluck()
    .get() as number;
  return counted > MOST_ROWS ? undefined : counted;
}

function closeQuietly(db: Database): void {
  try {
    db.close();
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
  }
}
