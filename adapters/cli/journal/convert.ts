// What `holdfast journal FILE delete|wal` does: converts, and tells the truth about it.

import type { DatabaseConfig } from '../../../core/doctor/config.ts';
import { type Conversion, convertJournal } from '../../../core/doctor/convert-journal.ts';
import { HoldfastError } from '../../../core/error.ts';
import type { Finding } from '../../../vfs/finding.ts';
import { classify } from '../../../vfs/mount/classify.ts';
import { EXIT } from '../exit.ts';
import { jsonDocument } from '../output/document.ts';
import { escapeLine } from '../output/escape.ts';
import { tellFinding } from '../output/finding.ts';
import { stdout } from '../output/output.ts';
import { reportFailure } from '../report.ts';
import { loadRuntime } from '../runtime.ts';

const WORDS = { wal: 'WAL', rollback: 'a rollback journal (DELETE)', fresh: 'no page yet' } as const;

export async function convert(
  path: string,
  target: 'wal' | 'delete',
  config: DatabaseConfig,
  options: { force?: boolean; json?: boolean },
): Promise<number> {
  const runtime = await loadRuntime();
  let conversion: Conversion;
  try {
    conversion = convertJournal(runtime, path, target, options.force ?? false);
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    if (options.json) {
      const { code, message, hint = null, holders = [] } = error;
      stdout.write(jsonDocument({ path, error: { code, message, hint, holders } }));
    } else await reportFailure(error);
    return EXIT.failure;
  }
  const findings: Finding[] = [...config.findings];
  const ground = classify(runtime.host, path);
  if (!ground.walSafe && ground.class !== 'native') findings.push(otherSide(path, target));
  if (config.journalMode !== undefined && config.journalMode !== target) findings.push(disagrees(path, target, config));
  const { from, pragma, header, changed, unseen } = conversion;
  if (unseen.length > 0) findings.push(notAllSeen(path, unseen));
  if (options.json) stdout.write(jsonDocument({ path, from, to: target, changed, pragma, header, findings }));
  else {
    const was = WORDS[from as keyof typeof WORDS] ?? from;
    const done = changed ? `converted from ${was} to ${WORDS[header as keyof typeof WORDS] ?? header}` : `has ${was} already`;
    stdout.write(`${escapeLine(path)} ${done}; PRAGMA journal_mode and the header of the file agree\n`);
    stdout.flush();
    findings.forEach(tellFinding);
  }
  return EXIT.ok;
}

function notAllSeen(path: string, unseen: readonly string[]): Finding {
  const message = `nobody had a lock on it, but an idle program may have it open: ${unseen.join('; ')}`;
  return { severity: 'info', code: 'holders-unseen', path, message };
}

function otherSide(path: string, target: string): Finding {
  const risk = target === 'wal' ? '; WAL, which was forced, is destroyed there even by taking turns' : '';
  return {
    severity: 'warning',
    code: 'other-side-unseen',
    path,
    message: `programs on the other side of this mount cannot be seen from here; whatever had the file open there must be stopped${risk}`,
  };
}

function disagrees(path: string, target: string, config: DatabaseConfig): Finding {
  return {
    severity: 'warning',
    code: 'config-disagrees',
    path,
    message: `${config.path} still says database.journal_mode: ${config.journalMode}`,
    remedy: `set database.journal_mode: ${target} there, or the next start may want the other mode again`,
  };
}
