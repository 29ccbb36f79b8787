// One line of what doctor says: its weight, a stable name for programs, the text, and what to do.

import type { Finding, Severity } from '../../vfs/finding.ts';

/** `unknown`: it could not be told. Worse than healthy, and no verdict. */
export type Weight = Severity | 'unknown';

export interface Line {
  readonly weight: Weight;
  /** A stable name in kebab case. */
  readonly code: string;
  /** Without a full stop; begins with the label of the database. */
  readonly text: string;
  readonly remedy?: string;
}

/** A finding about a database, as a line. */
export function lineOf(label: string, { severity, code, message, remedy }: Finding): Line {
  return { weight: severity, code, text: `${label}: ${message}`, ...(remedy === undefined ? {} : { remedy }) };
}
