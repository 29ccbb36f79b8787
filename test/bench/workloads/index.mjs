// All workloads, in the order of the report.

import { aggregate, all, bulkInsertDelete, bulkInsertWal, iterate, pointSelect } from './items.mjs';
import { blobBind, blobRead, textBind, textRead } from './large.mjs';
import { coldStart, memory } from './process.mjs';
import { searchInsert, searchQuery } from './search.mjs';
import { transactionsDelete, transactionsWal } from './transactions.mjs';

/**
 * A workload has a `name`, a `title`, a `journal` mode, and either a `schema` (each sample gets a new file) or a `fixture` (all
 * samples of a process read one copy). `prepare` and `check` are not timed; `run` is. The journal is a
 * rollback journal, which all contenders have, unless the workload is about WAL.
 */
export const WORKLOADS = [
  bulkInsertWal,
  bulkInsertDelete,
  pointSelect,
  all,
  iterate,
  aggregate,
  transactionsWal,
  transactionsDelete,
  searchInsert,
  searchQuery,
  textBind,
  textRead,
  blobBind,
  blobRead,
  coldStart,
  memory,
];

export function workloadNamed(name) {
  const found = WORKLOADS.find((workload) => workload.name === name);
  if (!found) throw new Error(`there is no workload ${name}; there are ${WORKLOADS.map((one) => one.name).join(', ')}`);
  return found;
}
