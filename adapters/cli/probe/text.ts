// The report of a probe as text: the verdict, what was proved line by line, what to do, and what is left open.

import type { Alone, BothWays, Check, Exclusion, Failure, Race, Replacement, Sight } from '../../../vfs/probe/evidence.ts';
import type { ProbeReport } from '../../../vfs/probe/report.ts';
import { escapeLine } from '../output/escape.ts';

const LABEL = 13;
const GIGABYTE = 1e9;

export function describe(report: ProbeReport): string {
  const rows = [...groundRows(report), ...exchangeRows(report), ...aloneRows(report.alone)];
  const facts = rows.map(([label, text]) => `  ${label.padEnd(LABEL)}${escapeLine(text)}\n`);
  const { summary, advice, notTested, notes } = report;
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? '' : `\n${title}\n${lines.map((line) => `  - ${escapeLine(line)}\n`).join('')}`;
  return `${escapeLine(summary)}.\n\n${facts.join('')}${list('What to do', advice)}${list('Notes', notes)}${list('Not tested', notTested)}`;
}

type Row = [label: string, text: string];

function groundRows({ resolved, mount, exchange }: ProbeReport): Row[] {
  const here = mount.fsType === undefined ? 'an unknown mount' : `${mount.fsType} at ${mount.mountPoint}`;
  const rows: Row[] = [['here', `${resolved}, on ${here} (${mount.class})`]];
  if (!exchange?.them) return rows;
  const kernel = { true: 'the same kernel', false: 'another kernel', null: 'a kernel not known' }[
    `${exchange.sameKernel ?? null}`
  ];
  rows.push(['there', `${exchange.them.fsType ?? 'unknown file system'}, ${kernel}`]);
  return rows;
}

function exchangeRows({ exchange, mode }: ProbeReport): Row[] {
  if (!exchange) return [];
  const other = mode === 'peer' ? 'the other side' : 'the other process';
  const rows: Array<Row | undefined> = [
    exchange.nameMs === undefined ? undefined : ['names', `cross; an answer takes ${exchange.nameMs} ms`],
    exchange.exclusiveCreate && ['files', raceText(exchange.exclusiveCreate, 'created')],
    exchange.makeDirectory && ['folders', raceText(exchange.makeDirectory, 'made')],
    exchange.replacement && ['renames', both(exchange.replacement, replacementText, other)],
    exchange.locks && ['locks', locksText(exchange.locks, other)],
    exchange.writes && ['new file', sights(pick(exchange.writes, 'created'), other)],
    exchange.writes && ['write', `${sights(pick(exchange.writes, 'locked'), other)} (under locks, as SQLite does it)`],
    exchange.writes && ['', `${sights(pick(exchange.writes, 'kept'), other)} (without a lock, file kept open)`],
    exchange.writes && ['', `${sights(pick(exchange.writes, 'reopened'), other)} (without a lock, file opened anew)`],
    exchange.writes && ['growth', sights(pick(exchange.writes, 'grown'), other)],
    exchange.mapping && ['mapping', both(exchange.mapping, mappingText, other, ['here', 'there'])],
    exchange.memory && ['memory', `a store is ${sights(exchange.memory, other)}`],
  ];
  return rows.filter((row) => row !== undefined);
}

function aloneRows(alone: Alone | undefined): Row[] {
  if (!alone) return [];
  const { freeBytes, ...checks } = alone;
  const entries = Object.entries(checks) as Array<[string, Check]>;
  const names = entries.filter(([, check]) => check.outcome === 'works').map(([name]) => CHECKS[name as keyof typeof CHECKS]);
  const rows: Row[] = [['alone', `${names.join(', ')}: work`]];
  for (const [name, check] of entries) {
    if (check.outcome === 'works') continue;
    rows.push(['', `${CHECKS[name as keyof typeof CHECKS]}: ${check.outcome === 'failed' ? failureText(check) : check.why}`]);
  }
  if (freeBytes !== null) rows.push(['free', `${(freeBytes / GIGABYTE).toFixed(1)} GB`]);
  return rows;
}

const CHECKS = {
  exclusiveCreate: 'exclusive create',
  grow: 'growth',
  truncate: 'truncate',
  syncFile: 'sync',
  syncDirectory: 'folder sync',
  renameOver: 'rename over a file',
  unlinkOpen: 'unlink of an open file',
  lock: 'lock',
  map: 'mapping',
} as const;

/** One phrase for both directions if they are alike. `who` says whose each of two phrases is. */
function both<T>(
  facts: BothWays<T>,
  text: (fact: T) => string,
  other: string,
  who = [`ours for ${other}`, 'theirs for us'],
): string {
  const [ours, theirs] = [text(facts.ours), text(facts.theirs)];
  return ours === theirs ? `${ours}, both ways` : `${who[0]}: ${ours}; ${who[1]}: ${theirs}`;
}

function sights(facts: BothWays<Sight>, other: string): string {
  const [ours, theirs] = [sightText(facts.ours), sightText(facts.theirs)];
  return ours === theirs ? `${ours} both ways` : `${ours} by ${other}; ${theirs} by us`;
}

function sightText(sight: Sight): string {
  if (sight.outcome === 'failed') return failureText(sight);
  if (sight.outcome === 'unseen') return `NOT seen within ${sight.withinMs / 1000} s`;
  return sight.atOnce ? 'seen at once' : `seen LATE, after ${(sight.afterMs / 1000).toFixed(2)} s`;
}

function raceText(race: Race, made: string): string {
  if (race.outcome === 'failed') return failureText(race);
  if (race.outcome === 'exclusive')
    return `each of ${race.names} could be ${made} once only (${race.ours} by us, ${race.theirs} by the other)`;
  return `of ${race.names}, ${race.twoWinners} were ${made} TWICE and ${race.noWinner} by nobody`;
}

function replacementText(replacement: Replacement): string {
  if (replacement.outcome === 'failed') return failureText(replacement);
  const { reads } = replacement;
  if (replacement.outcome === 'torn')
    return `of ${reads} looks, ${replacement.missing} found NO file and ${replacement.torn} a mixed one`;
  return `a file renamed over was whole at ${reads} looks, the last version ${sightText(replacement.last)}`;
}

function locksText({ ours, theirs }: BothWays<Exclusion>, other: string): string {
  if (ours.outcome === 'excludes' && theirs.outcome === 'excludes') return 'exclude both ways';
  if (ours.outcome === 'ignored' && theirs.outcome === 'ignored') return 'do NOT exclude, either way: each was granted to both';
  return `ours ${exclusionText(ours)} for ${other}; theirs ${exclusionText(theirs)} for us`;
}

function exclusionText(exclusion: Exclusion): string {
  switch (exclusion.outcome) {
    case 'excludes':
      return 'exclude';
    case 'ignored':
      return 'do NOT exclude';
    case 'flawed':
      return `exclude in part (${exclusion.flaw})`;
    default:
      return `cannot be had (${failureText(exclusion)})`;
  }
}

function mappingText(mapping: { outcome: 'mapped' } | Failure): string {
  return mapping.outcome === 'mapped' ? 'a file can be mapped' : `a file CANNOT be mapped (${failureText(mapping)})`;
}

function failureText({ call, errno }: Failure): string {
  return `${call} fails with ${errno}`;
}

function pick<K extends string, T>(facts: BothWays<Record<K, T>>, key: K): BothWays<T> {
  return { ours: facts.ours[key], theirs: facts.theirs[key] };
}
