// Which other SQLite engines this machine has that may use the same databases: found on PATH by name, and asked for their version.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { MachineEngine } from '../../../core/doctor/machine-engine.ts';
import { walResetVerdict } from '../../../core/doctor/wal-reset.ts';

interface Candidate {
  readonly name: string;
  /** The file that is looked for; no other name is ever run. */
  readonly program: string;
  /** Makes it print its version of SQLite first, and read no start-up file and no code from the working directory. */
  readonly ask: readonly string[];
}

const CANDIDATES: readonly Candidate[] = [
  { name: 'python3', program: 'python3', ask: ['-I', '-c', 'import sqlite3; print(sqlite3.sqlite_version)'] },
  { name: 'sqlite3', program: 'sqlite3', ask: ['-init', '/dev/null', '-batch', '-version'] },
  // A node without node:sqlite has no such version, and prints "undefined".
  { name: 'node:sqlite', program: 'node', ask: ['-p', 'process.versions.sqlite'] },
  {
    name: 'bun:sqlite',
    program: 'bun',
    ask: [
      '-e',
      "import { Database } from 'bun:sqlite'; console.log(new Database(':memory:').query('select sqlite_version() v').get().v)",
    ],
  },
];
/** Milliseconds that each is given. */
const PATIENCE_MS = 2000;
/** A version is a few characters; more than this is something else. */
const MOST_OUTPUT = 4096;
/** Variables by which these programs would be made to load something first. */
const NOT_PASSED_ON = ['NODE_OPTIONS', 'BUN_OPTIONS', 'SQLITE_HISTORY'];

export interface EngineSearch {
  /** Folders, as in PATH. Default: PATH. */
  readonly folders?: string;
  /** For each program; all are asked at once. Default 2000. */
  readonly timeoutMs?: number;
}

/** Never fails: what does not answer in time with a version is left out. */
export async function findEngines({
  folders = process.env.PATH ?? '',
  timeoutMs = PATIENCE_MS,
}: EngineSearch = {}): Promise<MachineEngine[]> {
  const asked = CANDIDATES.flatMap((candidate) =>
    programsNamed(candidate.program, folders).map(async (program) => {
      const version = (await ownVersion(candidate, program)) ?? versionIn(await outputOf(program, candidate.ask, timeoutMs));
      return version === undefined ? undefined : { name: candidate.name, program, version, verdict: walResetVerdict(version) };
    }),
  );
  const own = await ownEngine();
  const found = (await Promise.all(asked)).filter((engine) => engine !== undefined);
  return own === undefined || found.some((engine) => engine.name === own.name && isOurs(engine.program))
    ? found
    : [...found, own];
}

/** Each program of that name on PATH, once, however many folders lead to it. Relative folders are not searched: they are not the user's. */
function programsNamed(name: string, folders: string): string[] {
  const seen = new Set<string>();
  return folders
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, name))
    .filter((file) => {
      try {
        fs.accessSync(file, fs.constants.X_OK);
        const real = fs.realpathSync(file);
        if (seen.has(real) || !fs.statSync(real).isFile()) return false;
        seen.add(real);
        return true;
      } catch {
        return false;
      }
    });
}

/** We are that program ourselves, so nothing has to be started. */
async function ownVersion({ name }: Candidate, program: string): Promise<string | undefined> {
  if (!isOurs(program)) return undefined;
  const own = await ownEngine();
  return own?.name === name ? own.version : undefined;
}

function isOurs(program: string): boolean {
  try {
    return fs.realpathSync(program) === fs.realpathSync(process.execPath);
  } catch {
    return false;
  }
}

/** The SQLite inside the runtime that runs us; undefined where it has none. */
async function ownEngine(): Promise<MachineEngine | undefined> {
  const isBun = process.versions.bun !== undefined;
  const version = isBun ? await ownBunVersion() : versionIn(process.versions.sqlite ?? '');
  if (version === undefined) return undefined;
  return { name: isBun ? 'bun:sqlite' : 'node:sqlite', program: process.execPath, version, verdict: walResetVerdict(version) };
}

async function ownBunVersion(): Promise<string | undefined> {
  try {
    // By a variable, since no other runtime knows this module.
    const module = 'bun:sqlite';
    const { Database } = (await import(module)) as {
      Database: new (name: string) => { query(sql: string): { get(): { v: string } } };
    };
    return versionIn(new Database(':memory:').query('select sqlite_version() v').get().v);
  } catch {
    return undefined;
  }
}

function versionIn(output: string): string | undefined {
  return /^\s*(\d+\.\d+(?:\.\d+)*)/.exec(output)?.[1];
}

/** What a program prints until it ends; nothing if it fails or takes too long. */
function outputOf(program: string, parameters: readonly string[], timeoutMs: number): Promise<string> {
  return new Promise((resolve) => {
    const env = { ...process.env };
    for (const name of NOT_PASSED_ON) delete env[name];
    const child = start(program, parameters, env);
    if (child === undefined) return resolve('');
    let output = '';
    const end = (answer: string) => {
      clearTimeout(timer);
      child.stdout.destroy();
      child.unref();
      resolve(answer);
    };
    const timer = setTimeout(() => {
      stop(child.pid);
      end('');
    }, timeoutMs);
    child.stdout.on('error', () => {});
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length > MOST_OUTPUT) {
        stop(child.pid);
        end('');
      }
    });
    child.on('error', () => end(''));
    child.on('close', (status) => end(status === 0 ? output : ''));
  });
}

/** In a group of its own, so that what a shell script started ends with it. Bun throws where Node tells of an error later. */
function start(program: string, parameters: readonly string[], env: NodeJS.ProcessEnv) {
  try {
    return spawn(program, [...parameters], { cwd: '/', env, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  } catch {
    return undefined;
  }
}

function stop(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
