// How doctor's report looks: for people one line each with what to do below it, for programs one document.

import tty from 'node:tty';
import pc from 'picocolors';
import type { Facts } from '../../../core/doctor/examine.ts';
import type { Line, Weight } from '../../../core/doctor/line.ts';
import type { MachineEngine } from '../../../core/doctor/machine-engine.ts';
import { escapeLine } from '../output/escape.ts';

export interface Examined {
  facts: Facts;
  lines: Line[];
}

export interface Report {
  databases: Examined[];
  engines: Line[];
  config: Line[];
}

const MARK: Readonly<Record<Weight, string>> = { info: '→', warning: '⚠', error: '✗', unknown: '?' };
/** For eyes only: what a file or another program gets has none. */
const colours = pc.createColors(tty.isatty(1) && !process.env.NO_COLOR);
const COLOUR: Readonly<Record<Weight, (text: string) => string>> = {
  info: colours.cyan,
  warning: colours.yellow,
  error: colours.red,
  unknown: colours.yellow,
};

export function printReport(report: Report): string {
  const sections = report.databases.map(({ facts, lines }) => section(facts.path, lines));
  if (report.config.length > 0) sections.push(section('Configuration and folders', report.config));
  const hasWal = report.databases.some(({ facts }) => facts.onDisk === 'wal');
  if (hasWal && report.engines.length > 0) sections.push(section('Other SQLite engines on this machine', report.engines));
  return `${sections.join('\n')}\n${summary(report)}\n`;
}

function section(title: string, lines: readonly Line[]): string {
  return `${escapeLine(title)}\n${lines.map(lineText).join('')}`;
}

function lineText({ weight, text, remedy }: Line): string {
  const first = `  ${COLOUR[weight](MARK[weight])} ${escapeLine(text)}\n`;
  return remedy === undefined ? first : `${first}    to do: ${escapeLine(remedy)}\n`;
}

function summary({ databases, config }: Report): string {
  const worst = (lines: readonly Line[]) => lines.some(({ weight }) => weight === 'warning' || weight === 'error');
  const bad = databases.filter(({ lines }) => worst(lines)).length;
  const unseen = config.filter(({ weight }) => weight === 'unknown').length;
  const untold = databases.filter(({ lines }) => !worst(lines) && lines.some(({ weight }) => weight === 'unknown')).length;
  const parts = [`${databases.length} database${databases.length === 1 ? '' : 's'} examined`];
  if (bad > 0) parts.push(`${bad} need${bad === 1 ? 's' : ''} action`);
  if (untold > 0) parts.push(`${untold} could not be told`);
  if (unseen > 0) parts.push(`${unseen} folder${unseen === 1 ? '' : 's'} could not be looked into`);
  if (worst(config)) parts.push('the configuration needs action');
  if (parts.length > 1) return parts.join(', ');
  return `${parts[0]}, healthy\n(The contents were not checked: holdfast sql FILE "PRAGMA integrity_check" reads every page.)`;
}

/** News, and no warning: that a program is installed does not mean that it is used on these files. */
export function engineLines(engines: readonly MachineEngine[]): Line[] {
  const alike = new Map<string, MachineEngine[]>();
  for (const engine of engines) {
    const key = `${engine.name} ${engine.version}`;
    alike.set(key, [...(alike.get(key) ?? []), engine]);
  }
  return [...alike.values()].map((same) => {
    const { name, version, verdict } = same[0] as MachineEngine;
    const programs = same.map(({ program }) => program).join(', ');
    return { weight: 'info', code: `engine-${verdict}`, text: `${name}: SQLite ${version}${ENGINE_NOTE[verdict]} (${programs})` };
  });
}

const ENGINE_NOTE = {
  fixed: ', without the WAL-reset bug',
  vulnerable: ', which has the WAL-reset bug: let it not be one of several writers of a WAL database',
  unknown: ', of which it is not known whether it has the WAL-reset bug',
} as const;

export function reportDocument({ databases, config }: Report, engines: readonly MachineEngine[]): unknown {
  const lines = [...config, ...databases.flatMap((each) => each.lines)];
  return {
    databases: databases.map((each) => databaseDocument(each)),
    engines,
    config,
    healthy: lines.every(({ weight }) => weight === 'info'),
  };
}

function databaseDocument({ facts, lines }: Examined): unknown {
  const { target, path, header, onDisk, ground, wal, holders } = facts;
  return {
    label: target.label,
    path,
    journal: { configured: target.config.journalMode, effective: onDisk },
    bytes: header.ok ? header.header.fileBytes : header.fileBytes,
    ground,
    wal: wal && {
      bytes: wal.walBytes,
      frames: wal.validFrames,
      pending: wal.pending,
      fullyCheckpointed: wal.fullyCheckpointed,
      unreachable: wal.unreachable,
      pinnedBy: wal.pinnedBy,
      doesNotFit: wal.doesNotFit,
    },
    holders,
    lines,
  };
}
