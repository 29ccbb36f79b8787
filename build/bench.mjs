// npm run bench: installs the peers if they are missing, builds, measures everything side by side and prints the table.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { commandsText, measureCommands } from '../test/bench/commands.mjs';
import { dataOf, textOf } from '../test/bench/report.mjs';
import { QUICK, runSection, THOROUGH } from '../test/bench/schedule.mjs';
import { WORKLOADS, workloadNamed } from '../test/bench/workloads/index.mjs';

const COMMANDS = 'commands';
const USAGE = `npm run bench -- [options]
  --quick           fewer repetitions
  --only WORKLOAD   this one alone; may be given several times: ${WORKLOADS.map(({ name }) => name).join(' ')};
                    or "commands", which are measured without peers and need 5 GB of disk for a moment
  --runtime PATH    the node to measure under; default: this one
  --dist FOLDER     measure this build instead of making one
  --json FILE       write the numbers to this file`;

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const peers = path.join(root, 'test', 'bench');

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    runtime: { type: 'string', default: process.execPath },
    dist: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (options.help) console.log(USAGE);
else bench();

function bench() {
  // Before the minutes that the rest takes.
  const workloads = options.only?.filter((name) => name !== COMMANDS).map(workloadNamed) ?? WORKLOADS;
  const withCommands = options.only?.includes(COMMANDS) ?? true;
  if (workloads.length > 0) installPeers();
  if (options.dist === undefined) node(path.join(root, 'build', 'build.mjs'));
  const sections = workloads.length > 0 ? measure(workloads) : [];
  const commands = withCommands ? inFolder((folder) => measureCommands({ ...commandSettings(), folder })) : undefined;
  if (options.json !== undefined)
    fs.writeFileSync(options.json, `${JSON.stringify({ ...dataOf(sections), commands }, null, 2)}\n`);
  console.log(`\n${textOf(sections)}${commands ? `\n\n${commandsText(commands)}` : ''}`);
}

function commandSettings() {
  return { binary: options.runtime, dist: builtFolder(), runs: options.quick ? 3 : 11, log: console.error };
}

function builtFolder() {
  return path.resolve(options.dist ?? path.join(root, 'dist'));
}

function inFolder(use) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-bench-'));
  try {
    return use(folder);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

function installPeers() {
  // npm writes this one when it is done, so an install that was cut short is not taken for one.
  if (fs.existsSync(path.join(peers, 'node_modules', '.package-lock.json'))) return;
  console.error('Installing what we measure against. better-sqlite3 may have to be compiled, which takes some minutes.');
  execFileSync('npm', ['ci', '--prefix', peers], { cwd: root, stdio: ['ignore', 2, 2] });
}

function measure(workloads) {
  const effort = options.quick ? QUICK : THOROUGH;
  const runtimes = { node: options.runtime, bun: path.join(peers, 'node_modules', '.bin', 'bun') };
  return inFolder((folder) =>
    Object.entries(runtimes).map(([runtime, binary]) => {
      const own = path.join(folder, runtime);
      fs.mkdirSync(own);
      return runSection({ runtime, binary, dist: builtFolder(), folder: own, workloads, effort, log: console.error });
    }),
  );
}

function node(script) {
  execFileSync(process.execPath, [script], { cwd: root, stdio: 'inherit' });
}
