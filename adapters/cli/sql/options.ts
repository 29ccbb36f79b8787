// The options of `holdfast sql`, as typed and as understood.

import type { OpenOptions } from '../../../core/database/options.ts';
import { tellFinding } from '../output/finding.ts';
import type { FormatName } from '../output/format.ts';

export interface SqlOptions {
  json?: boolean;
  csv?: boolean;
  readonly?: boolean;
  create?: boolean;
  param: string[];
  timeout?: number;
  locking: 'kernel' | 'dotfile';
}

export function formatOf(options: SqlOptions): FormatName {
  if (options.json) return 'json';
  return options.csv ? 'csv' : 'table';
}

/** What openSync is told. Whether the file may be made is decided elsewhere. */
export function openOptionsOf(options: SqlOptions, create: boolean): OpenOptions {
  return {
    readonly: options.readonly ?? false,
    create,
    locking: options.locking,
    safeIntegers: true,
    onFinding: tellFinding,
    ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
  };
}
