// The result as a Markdown table that also reads well in a terminal, and as plain data.

import os from 'node:os';
import { meanRatio, ratio, targetsOf } from './targets.mjs';

/** Quartiles further than this from the median are shown. */
const NOTABLE_SPREAD = 0.1;

export function dataOf(sections) {
  const withRatios = ({ results, ...section }) => ({
    ...section,
    results: results.map((result) => ({ ...result, ratios: ratiosOf(result) })),
    targets: targetsOf({ results, ...section }),
  });
  return { machine: machine(), date: new Date().toISOString(), sections: sections.map(withRatios) };
}

function ratiosOf(result) {
  const peers = Object.keys(result.times).filter((name) => name !== 'Holdfast');
  return Object.fromEntries(peers.map((name) => [name, ratio(result, name)]));
}

export function textOf(sections) {
  return [machine(), ...sections.map(sectionText)].join('\n\n');
}

function machine() {
  const cpus = os.cpus();
  return `${cpus[0]?.model.trim() ?? 'unknown processor'} × ${cpus.length}, ${os.type()} ${os.release()} ${os.arch()}`;
}

function sectionText(section) {
  const { runtime, version, contenders, results } = section;
  const peers = contenders.filter(({ name, unavailable }) => name !== 'Holdfast' && !unavailable);
  const title = `${runtime === 'bun' ? 'Bun' : 'Node'} ${version} (SQLite: ${contenders
    .filter((one) => one.version)
    .map((one) => `${one.name} ${one.version}`)
    .join(', ')})`;
  const head = ['workload', 'Holdfast', ...peers.flatMap(({ name }) => [name, '×'])];
  const rows = results.map((result) => [
    result.title,
    cell(result, 'Holdfast'),
    ...peers.flatMap((peer) => peerCells(result, peer)),
  ]);
  const means = peers.flatMap(({ name }) => ['', times(meanRatio(results, name))]);
  const notes = ['Medians. × is the time of Holdfast divided by that of the peer: below 1, Holdfast is faster.'];
  notes.push('The mean is geometric, over the times; ± is half the distance of the quartiles where it is more than 10 %.');
  if (peers.some(({ wal }) => !wal)) notes.push('* It has no WAL, and used a rollback journal (DELETE) instead.');
  const targets = targetsOf(section).map(
    ({ target, got, reached }) => `- ${target}: ${got}, ${reached ? 'reached' : 'NOT reached'}`,
  );
  return [
    title,
    table([head, ...rows, ['geometric mean', '', ...means]]),
    notes.join('\n'),
    ...(targets.length ? [targets.join('\n')] : []),
  ].join('\n\n');
}

function peerCells(result, { name, wal }) {
  const mark = !wal && result.journal === 'WAL' ? ' *' : '';
  return [`${cell(result, name)}${mark}`, times(ratio(result, name))];
}

function cell({ times: byName, unit }, name) {
  const { median, p25, p75 } = byName[name];
  const spread = (p75 - p25) / 2 / median;
  return `${number(median)} ${unit}${spread > NOTABLE_SPREAD ? ` ±${Math.round(spread * 100)} %` : ''}`;
}

function times(value) {
  return value === undefined ? '' : value.toFixed(2);
}

/** Three digits, as far as they are before or behind the point. */
function number(value) {
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) =>
    `| ${row.map((text, column) => (column === 0 ? text.padEnd(widths[column]) : text.padStart(widths[column]))).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(rows[0]), rule, ...rows.slice(1).map(line)].join('\n');
}
