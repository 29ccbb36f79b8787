// An SQLite engine of another program on this machine, which may use the same databases.

import type { HolderReport } from '../../vfs/holders/holder.ts';
import type { WalResetVerdict } from './wal-reset.ts';

export interface MachineEngine {
  /** `python3`, `sqlite3`, `node:sqlite`, `bun:sqlite`. */
  readonly name: string;
  /** Its program, as it was found. */
  readonly program: string;
  /** Of SQLite. */
  readonly version: string;
  readonly verdict: WalResetVerdict;
}

/** Programs that open databases with the SQLite that is their own, by the name they are run by. */
const RUN_AS: ReadonlyMap<string, RegExp> = new Map([
  ['python3', /^python(\d(\.\d+)?)?$/],
  ['sqlite3', /^sqlite3$/],
]);

/** The vulnerable ones among these that, by their names, have the file open now. What node or bun run may have brought its own. */
export function vulnerableUsers(engines: readonly MachineEngine[], report: HolderReport): MachineEngine[] {
  const programs = report.holders.map(({ command }) => command.split(' ')[0]?.split('/').at(-1) ?? '');
  return engines.filter(
    ({ name, verdict }) => verdict === 'vulnerable' && programs.some((program) => RUN_AS.get(name)?.test(program)),
  );
}
