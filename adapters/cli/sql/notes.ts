// What was done to a database file at open, told to whoever opened it.

import type { Database } from '../../../core/database/database.ts';
import { escapeLine } from '../output/escape.ts';
import { stderr } from '../output/output.ts';

/** Best after a statement has run: before, it might have to wait for a lock of its own. */
export function tellNotes(db: Database): void {
  for (const note of db.info.notes) stderr.write(`holdfast: note: ${escapeLine(note)}\n`);
}
