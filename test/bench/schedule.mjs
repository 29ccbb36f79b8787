// The run of one runtime: every workload by every contender, in turns, each in a process of its own.

import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { contenderNamed, contendersOf } from './contenders.mjs';
import { summary } from './statistics.mjs';
import { items } from './workloads/items.mjs';

const RUNNER = fileURLToPath(new URL('runner.mjs', import.meta.url));
const COLD_START_ID = 4711;

/** How often: rounds over all contenders, and samples within one process. Times are in milliseconds. */
export const THOROUGH = { rounds: 3, minSamples: 2, maxSamples: 15, warmMs: 100, budgetMs: 300, coldStarts: 5 };
export const QUICK = { rounds: 1, minSamples: 2, maxSamples: 5, warmMs: 50, budgetMs: 200, coldStarts: 5 };

/**
 * Measures the workloads under `binary`, an executable of `runtime` ('node' or 'bun'), in `folder`.
 * Answers the contenders and, for each workload and contender, the median of the samples.
 */
export function runSection({ runtime, binary, dist, folder, workloads, effort, log }) {
  const section = new Section(runtime, binary, dist, folder, effort);
  const contenders = contendersOf(runtime).map(({ name, wal }) => ({ name, wal, ...section.probe(name) }));
  for (const { name, unavailable } of contenders) if (unavailable) log(`${runtime}: without ${name}: ${unavailable}`);
  const present = contenders.filter(({ unavailable }) => !unavailable).map(({ name }) => name);
  section.makeFixtures(workloads);
  const results = workloads.map((workload) => {
    const begin = performance.now();
    const result = { ...describe(workload), times: section.inTurns(workload, present) };
    log(`${runtime}: ${workload.title} (took ${((performance.now() - begin) / 1000).toFixed(1)} s)`);
    return result;
  });
  const version = execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim().replace(/^v/, '');
  return { runtime, version, contenders, results };
}

function describe({ name, title, journal, measuresMemory }) {
  return { name, title, journal, unit: measuresMemory ? 'MiB' : 'ms' };
}

class Section {
  #runtime;
  #binary;
  #dist;
  #folder;
  #effort;
  #fixtures = {};
  #runs = 0;

  constructor(runtime, binary, dist, folder, effort) {
    this.#runtime = runtime;
    this.#binary = binary;
    this.#dist = dist;
    this.#folder = folder;
    this.#effort = effort;
  }

  probe(contender) {
    try {
      return this.#task({ kind: 'probe', contender });
    } catch (error) {
      const line = /^(?:\w*Error|error)\b.*/m.exec(error.message);
      return { unavailable: line?.[0] ?? error.message };
    }
  }

  /** Holdfast writes them, and the checks of the others read them. */
  makeFixtures(workloads) {
    for (const fixture of new Set(workloads.flatMap((workload) => workload.fixture ?? []))) {
      const file = path.join(this.#folder, `${fixture}.db`);
      this.#task({ kind: 'fixture', contender: 'Holdfast', fixture, file });
      this.#fixtures[fixture] = file;
    }
  }

  /** Rounds of A B C, B C A, …: what disturbs the machine for a while hits all of them. */
  inTurns(workload, contenders) {
    const samples = Object.fromEntries(contenders.map((name) => [name, []]));
    for (let round = 0; round < this.#effort.rounds; round++) {
      const order = contenders.map((_, index) => contenders[(index + round) % contenders.length]);
      if (workload.wholeProcess) this.#coldStarts(workload, order, samples);
      else for (const name of order) samples[name].push(...this.#measure(workload, name));
    }
    return Object.fromEntries(contenders.map((name) => [name, summary(samples[name])]));
  }

  #measure(workload, contender) {
    return this.#inOwnFolder((dir) => this.#task({ kind: 'measure', contender, workload: workload.name, dir }).samples);
  }

  #coldStarts(workload, order, samples) {
    this.#inOwnFolder((dir) => {
      const programs = order.map((contender) => this.#coldStartProgram(workload, contender, dir));
      // The first start of each fills the page cache and is thrown away.
      for (let count = -1; count < this.#effort.coldStarts; count++) {
        for (const [index, name] of order.entries()) {
          const time = this.#timeProgram(programs[index]);
          if (count >= 0) samples[name].push(time);
        }
      }
    });
  }

  #coldStartProgram(workload, contender, parent) {
    const dir = fs.mkdtempSync(path.join(parent, 'start-'));
    const file = path.join(dir, 'program.mjs');
    this.#task({ kind: 'program', contender, workload: workload.name, id: COLD_START_ID, dir, file });
    return file;
  }

  #timeProgram(file) {
    const begin = performance.now();
    const output = this.#spawn([file]);
    const time = performance.now() - begin;
    if (output.trim() !== items()[COLD_START_ID - 1][1]) throw new Error(`${file} answered ${output}`);
    return time;
  }

  #inOwnFolder(use) {
    const dir = path.join(this.#folder, `run-${this.#runs++}`);
    fs.mkdirSync(dir);
    try {
      return use(dir);
    } finally {
      fs.rmSync(dir, { recursive: true });
    }
  }

  #task(task) {
    const full = { dist: this.#dist, fixtures: this.#fixtures, ...this.#effort, ...task };
    contenderNamed(task.contender);
    const flags = this.#runtime === 'node' ? ['--expose-gc'] : [];
    return JSON.parse(this.#spawn([...flags, RUNNER, JSON.stringify(full)]));
  }

  #spawn(args) {
    const { status, signal, error, stdout, stderr } = spawnSync(this.#binary, args, { encoding: 'utf8' });
    if (error) throw error;
    if (status !== 0) throw new Error(`${this.#runtime} ${args.join(' ')} ended with ${signal ?? status}:\n${shortened(stderr)}`);
    return stdout;
  }
}

/** A minified peer shows its whole source, in one line, where it fails. */
function shortened(text) {
  return text
    .split('\n')
    .map((line) => (line.length > 300 ? `${line.slice(0, 300)} …` : line))
    .join('\n');
}
