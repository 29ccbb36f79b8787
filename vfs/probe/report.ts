// The report of a probe: its facts, their meaning, and what is left open, in the documented shape of --json.

import type { Classification } from '../mount/classification.ts';
import type { Alone, Exchange } from './evidence.ts';
import { notTested } from './not-tested.ts';
import type { Found } from './probe.ts';
import { type Evidence, judge, type Verdict, type VerdictCode } from './verdict.ts';

export interface ProbeReport {
  /** As it was given, and as it was resolved. */
  path: string;
  resolved: string;
  mode: 'one-side' | 'peer';
  verdict: VerdictCode;
  exit: Verdict['exit'];
  summary: string;
  advice: string[];
  notTested: string[];
  /** What happened beside: leftovers removed, another probe that came by. */
  notes: string[];
  mount: Pick<Classification, 'class' | 'mountPoint' | 'fsType' | 'source' | 'walSafe'>;
  alone: Alone | undefined;
  exchange: Required<{ [fact in keyof Exchange]: Exchange[fact] | undefined }> | undefined;
}

export function report(mode: ProbeReport['mode'], mount: Classification, found: Found): ProbeReport {
  const { alone, exchange, ended } = found;
  const evidence: Evidence = { mode, walSafe: mount.walSafe, alone, exchange, ended };
  const { code, exit, summary, advice } = judge(evidence);
  return {
    path: mount.path,
    resolved: mount.resolved,
    mode,
    verdict: code,
    exit,
    summary,
    advice,
    notTested: notTested(evidence),
    notes: notesOf(found),
    mount: {
      class: mount.class,
      mountPoint: mount.mountPoint,
      fsType: mount.fsType,
      source: mount.source,
      walSafe: mount.walSafe,
    },
    alone,
    exchange: exchange && complete(exchange),
  };
}

/** Every fact by name, those that were not reached too. */
function complete(exchange: Exchange): NonNullable<ProbeReport['exchange']> {
  return {
    us: exchange.us,
    them: exchange.them,
    sameKernel: exchange.sameKernel,
    waitedMs: exchange.waitedMs,
    nameMs: exchange.nameMs,
    exclusiveCreate: exchange.exclusiveCreate,
    makeDirectory: exchange.makeDirectory,
    replacement: exchange.replacement,
    locks: exchange.locks,
    writes: exchange.writes,
    mapping: exchange.mapping,
    memory: exchange.memory,
  };
}

function notesOf({ visitors, leftoversRemoved, leftoversKept }: Found): string[] {
  const notes: string[] = [];
  if (visitors > 0) notes.push('Another probe came by while the two sides were at it, and was sent away');
  if (leftoversRemoved > 0)
    notes.push(
      `Leftovers of a probe that was killed were removed (${leftoversRemoved} ${leftoversRemoved === 1 ? 'name' : 'names'})`,
    );
  if (leftoversKept.length > 0) notes.push(`Leftovers could not be removed: ${leftoversKept.join(', ')}`);
  return notes;
}
