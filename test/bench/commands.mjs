// How long commands take from start to end, against what was promised of each; there is no peer to compare them with.

import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { summary } from './statistics.mjs';

const DATABASES = 50;
const DATABASE_BYTES = 100 * 2 ** 20;
const BLOB_BYTES = 2 ** 20;

/** Title, arguments, and the median that it must not exceed, in milliseconds. */
const COMMANDS = [
  { title: 'holdfast mount DIR', args: ({ home }) => ['mount', home], goal: 150 },
  { title: 'holdfast journal FILE', args: ({ file }) => ['journal', file], goal: 150 },
  { title: 'holdfast locks FILE', args: ({ file }) => ['locks', file] },
  { title: 'holdfast doctor FILE', args: ({ file }) => ['doctor', file] },
  {
    title: `holdfast doctor, a home of ${DATABASES} databases of 100 MB`,
    args: ({ home }) => ['doctor', '--home', home],
    goal: 2000,
  },
];

/** Medians of `runs` runs of each command, after one that warms the caches. */
export function measureCommands({ binary, dist, folder, runs, log }) {
  const cli = path.join(dist, 'cli.js');
  const home = makeHome(binary, dist, folder, log);
  const place = { home, file: path.join(home, 'state.db') };
  return COMMANDS.map(({ title, args, goal }) => {
    const samples = [];
    for (let run = 0; run <= runs; run++) {
      const begin = performance.now();
      const { status, stderr } = spawnSync(binary, [cli, ...args(place)], { encoding: 'utf8' });
      if (status !== 0) throw new Error(`${title} ended with ${status}: ${stderr}`);
      if (run > 0) samples.push(performance.now() - begin);
    }
    return { title, goal, ...summary(samples) };
  });
}

export function commandsText(results) {
  const lines = results.map(({ title, goal, median }) => {
    const verdict = goal === undefined ? '' : ` (goal ${goal} ms, ${median <= goal ? 'reached' : 'NOT reached'})`;
    return `- ${title}: ${median.toFixed(0)} ms${verdict}`;
  });
  return ['Commands, from start to end, medians with warm caches', lines.join('\n')].join('\n\n');
}

/** A home of real databases: one is made, and copied. */
function makeHome(binary, dist, folder, log) {
  const home = path.join(folder, 'home');
  fs.mkdirSync(home);
  const first = path.join(home, 'state.db');
  log(`making ${DATABASES} databases of 100 MB`);
  const blobs = DATABASE_BYTES / BLOB_BYTES;
  const sql = `CREATE TABLE sessions (id INTEGER PRIMARY KEY, body BLOB);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${blobs})
    INSERT INTO sessions SELECT i, randomblob(${BLOB_BYTES}) FROM n;`;
  execFileSync(binary, [path.join(dist, 'cli.js'), 'sql', '--create', first], { input: sql });
  for (let number = 1; number < DATABASES; number++) {
    const profile = path.join(home, 'profiles', `p${number}`);
    fs.mkdirSync(profile, { recursive: true });
    fs.copyFileSync(first, path.join(profile, 'state.db'), fs.constants.COPYFILE_FICLONE);
  }
  return home;
}
