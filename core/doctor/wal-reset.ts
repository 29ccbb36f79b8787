// Which versions of SQLite have the WAL-reset bug, by which a checkpoint can lose committed transactions of a busy WAL database.
//
// Source: https://sqlite.org/wal.html#walresetbug; it is in 3.7.0, where WAL began, to 3.51.2, save two lines that got the fix.

export type WalResetVerdict = 'vulnerable' | 'fixed' | 'unknown';

const FIRST = [7, 0] as const;
const FIXED = [51, 3] as const;
/** Minor versions that got the fix later, each with its first good patch. */
const BACKPORTS: ReadonlyMap<number, number> = new Map([
  [44, 6],
  [50, 7],
]);

/**
 * From a version as SQLite writes it: `3.40.1`, also with more behind it. A missing patch number counts as 0; a version without
 * WAL (before 3.7.0) is `fixed`; what is no version of SQLite 3 is `unknown`.
 */
export function walResetVerdict(version: string): WalResetVerdict {
  const match = /^\s*3\.(\d{1,4})(?:\.(\d{1,4}))?(?![\d])/.exec(version);
  if (!match) return 'unknown';
  const minor = Number(match[1]);
  const patch = Number(match[2] ?? 0);
  if (isBelow(minor, patch, FIRST) || !isBelow(minor, patch, FIXED)) return 'fixed';
  const backport = BACKPORTS.get(minor);
  return backport !== undefined && patch >= backport ? 'fixed' : 'vulnerable';
}

function isBelow(minor: number, patch: number, [otherMinor, otherPatch]: readonly [number, number]): boolean {
  return minor < otherMinor || (minor === otherMinor && patch < otherPatch);
}
