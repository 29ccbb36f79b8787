// What `holdfast journal FILE` shows: the mode that is configured, the one in effect, and the one that is advised here.

import type { DatabaseConfig } from '../../../core/doctor/config.ts';
import { Errnos } from '../../../vfs/errno.ts';
import type { Finding } from '../../../vfs/finding.ts';
import { describeHolders } from '../../../vfs/holders/describe.ts';
import { holdersOf } from '../../../vfs/holders/scan.ts';
import type { Host } from '../../../vfs/host.ts';
import { type JournalOnDisk, journalOnDisk } from '../../../vfs/journal/on-disk.ts';
import { decideJournal, type JournalMode, notInEffect } from '../../../vfs/journal/policy.ts';
import type { Classification } from '../../../vfs/mount/classification.ts';
import { classify } from '../../../vfs/mount/classify.ts';
import { EXIT } from '../exit.ts';
import { jsonDocument } from '../output/document.ts';
import { escapeLine } from '../output/escape.ts';
import { tellFinding } from '../output/finding.ts';
import { stderr, stdout } from '../output/output.ts';

const EFFECTIVE: Record<JournalOnDisk, string> = {
  fresh: 'none yet (no page has been written)',
  begun: 'none yet (somebody is making it, or was cut short)',
  rollback: 'delete (a rollback journal: the header says 1/1)',
  wal: 'wal (the header says 2/2)',
  foreign: 'unknown: this is not the header of an SQLite database',
  'orphan-wal': 'unknown: the file is empty, but its WAL holds data',
  unknown: 'unknown: the header could not be read',
};

export function show(host: Host, path: string, config: DatabaseConfig, options: { json?: boolean }): number {
  const ground = classify(host, path);
  const effective = effectiveMode(host, path);
  if (typeof effective === 'number') return couldNotOpen(host, path, effective, options);
  const advised = ground.walSafe ? 'wal' : 'delete';
  const findings = [...config.findings, ...findingsOn(host, path, effective, ground, config)];
  if (options.json) {
    const configured = config.journalMode ?? null;
    const report = { path, configured, configFile: config.path ?? null, effective, advised, ground, findings };
    stdout.write(jsonDocument(report));
  } else {
    const from = config.path === undefined ? 'no config.yaml above it' : config.path;
    stdout.write(`${escapeLine(path)}\n`);
    stdout.write(`  configured  ${escapeLine(config.journalMode ? `${config.journalMode} (${from})` : `nothing (${from})`)}\n`);
    stdout.write(`  effective   ${EFFECTIVE[effective]}\n`);
    stdout.write(`  advised     ${escapeLine(adviceText(effective, advised, ground, config))}\n`);
    stdout.flush();
    findings.forEach(tellFinding);
  }
  if (!['rollback', 'wal', 'fresh', 'begun'].includes(effective)) return EXIT.usage;
  return findings.some(({ severity }) => severity !== 'info') ? EXIT.failure : EXIT.ok;
}

function adviceText(effective: JournalOnDisk, advised: string, ground: Classification, config: DatabaseConfig): string {
  if (!['rollback', 'wal', 'fresh', 'begun'].includes(effective)) return 'nothing, while its journal mode is not known';
  if (advised === 'wal' && config.journalMode === 'delete')
    return `delete, as configured; wal would be safe here: ${ground.reason}`;
  return `${advised}: ${ground.reason}`;
}

function couldNotOpen(host: Host, path: string, errno: number, options: { json?: boolean }): number {
  const message = `${path} could not be opened: ${new Errnos(host.platform).meaning(-errno)}`;
  if (options.json) stdout.write(jsonDocument({ path, error: { message } }));
  else stderr.write(`holdfast: ${escapeLine(message)}\n`);
  return EXIT.usage;
}

/** No connection lives in this process, so the file may be opened and closed again. */
function effectiveMode(host: Host, path: string): JournalOnDisk | number {
  const errnos = new Errnos(host.platform);
  const fd = host.open(path, { write: false, create: false, exclusive: false, noFollow: true, mode: 0 });
  if (fd < 0) return fd;
  try {
    return journalOnDisk(host, errnos, fd, path);
  } finally {
    host.close(fd);
  }
}

function findingsOn(
  host: Host,
  path: string,
  onDisk: JournalOnDisk,
  ground: Classification,
  config: DatabaseConfig,
): readonly Finding[] {
  if (onDisk !== 'wal' && onDisk !== 'rollback') return [];
  const configured: JournalMode = config.journalMode ?? 'auto';
  // As an open would find it, which for a rollback database says nothing: there, WAL is no promise.
  const question = { path, onDisk, configured, ground, canShareMemory: true, readonly: false, requireWal: false };
  return decideJournal(question)
    .findings.filter(({ code }) => code !== 'journal-upgrade')
    .map((finding) =>
      finding.code === 'journal-mode-not-in-effect'
        ? notInEffect(path, configured, 'wal', describeHolders(holdersOf(host, path)))
        : finding,
    );
}
