// A process of its own for one contender and one task; takes the task as JSON and prints what it found as JSON.

import fs from 'node:fs';
import path from 'node:path';
import { sound } from './check.mjs';
import { contenderNamed } from './contenders.mjs';
import { makeFixture } from './fixtures.mjs';
import { PAGE_SIZE, settings } from './settings.mjs';
import { workloadNamed } from './workloads/index.mjs';

const task = JSON.parse(process.argv[2]);
const runtime = process.versions.bun ? 'bun' : 'node';
const contender = contenderNamed(task.contender);
const module = await import(contender.url(task.dist, runtime));

const TASKS = { probe, fixture, program, measure };
console.log(JSON.stringify(TASKS[task.kind]()));

/** Whether it works here at all, and on which SQLite. */
function probe() {
  const db = contender.open(module, ':memory:');
  const { version } = db.prepare('SELECT sqlite_version() AS version').get();
  db.close();
  return { version };
}

function fixture() {
  makeFixture(task.fixture, contender.open(module, task.file));
  return {};
}

/** Makes the copy and the source text that a cold start needs. */
function program() {
  const workload = workloadNamed(task.workload);
  const file = path.join(task.dir, 'cold-start.db');
  openCopy(workload, file).close();
  const source = workload.program(contender.program(contender.url(task.dist, runtime)), file, task.id);
  fs.writeFileSync(task.file, source);
  return {};
}

function measure() {
  const workload = workloadNamed(task.workload);
  return { samples: workload.measuresMemory ? [peakMemory(workload)] : times(workload) };
}

function times(workload) {
  const { minSamples, maxSamples, warmMs, budgetMs } = task;
  const samples = [];
  const { next, end } = statesOf(workload);
  const once = () => {
    const state = next();
    collectGarbage();
    const begin = performance.now();
    const result = workload.run(state);
    const time = performance.now() - begin;
    workload.check(result, state);
    return time;
  };
  // At least one run is thrown away, more if they are short: the compilers of the runtime need their time. Not so where the
  // disk takes seconds of which they would save milliseconds.
  for (let spent = workload.waitsForDisk ? warmMs : 0; spent < warmMs; ) spent += once();
  for (let spent = 0; samples.length < minSamples || (spent < budgetMs && samples.length < maxSamples); ) {
    const time = once();
    samples.push(time);
    spent += time;
  }
  end();
  return samples;
}

/** The state for each run: on a new file where the work writes, else always the same. */
function statesOf(workload) {
  return workload.fixture ? sameState(workload) : newStates(workload);
}

function sameState(workload) {
  const db = openCopy(workload, path.join(task.dir, 'copy.db'));
  const state = workload.prepare(db);
  return { next: () => state, end: () => db.close() };
}

function newStates(workload) {
  let db;
  let count = 0;
  const next = () => {
    db?.close();
    db = openFresh(workload, path.join(task.dir, `fresh-${count++}.db`));
    return workload.prepare(db);
  };
  const end = () => {
    sound(db);
    db.close();
  };
  return { next, end };
}

function openCopy(workload, file) {
  fs.copyFileSync(task.fixtures[workload.fixture], file);
  return open(workload, file);
}

function openFresh(workload, file) {
  const db = open(workload, file);
  db.exec(workload.schema);
  return db;
}

function open(workload, file) {
  const db = contender.open(module, file);
  db.exec(PAGE_SIZE);
  const journal = contender.wal ? workload.journal : 'DELETE';
  for (const setting of settings(journal)) db.exec(setting);
  // Not get(), which in node-sqlite3-wasm leaves the statement running, so that no transaction can commit.
  const [{ journal_mode: mode }] = db.prepare('PRAGMA journal_mode').all();
  if (mode.toUpperCase() !== journal) throw new Error(`the journal mode is ${mode} and not ${journal}`);
  return db;
}

/** Peak of the resident memory in MiB, read before the check adds its own. Not getrusage: that counts the parent too. */
function peakMemory(workload) {
  const { next, end } = statesOf(workload);
  const state = next();
  const result = workload.run(state);
  const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
  workload.check(result, state);
  end();
  return peak;
}

function collectGarbage() {
  if (runtime === 'bun') Bun.gc(true);
  else globalThis.gc();
}
