// A failure as the one JSON document of a command that was asked for JSON.

import { HoldfastError } from '../../../core/error.ts';
import { CallError } from '../call-error.ts';
import { PlainFailure } from '../report.ts';
import { jsonDocument } from './document.ts';

/** Of a failure that was foreseen: `{ error: { code, message } }`. Undefined for a fault in this program. */
export function failureDocument(error: unknown): string | undefined {
  const code = foreseenCode(error);
  return code === undefined ? undefined : jsonDocument({ error: { code, message: (error as Error).message } });
}

function foreseenCode(error: unknown): string | undefined {
  if (error instanceof HoldfastError) return error.code;
  if (error instanceof CallError) return 'HOLDFAST_USAGE';
  if (error instanceof PlainFailure) return 'HOLDFAST_FAILURE';
  return error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : undefined;
}
