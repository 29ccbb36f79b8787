// The `database:` section of an agent's config.yaml: what it configures, and what in it has no effect.

import type { Finding } from '../../vfs/finding.ts';

export type ConfiguredMode = 'wal' | 'delete';

export interface DatabaseConfig {
  /** The file that was read; undefined if there is none. */
  readonly path: string | undefined;
  /** Undefined where nothing (valid) is configured; the agent then uses `wal`. */
  readonly journalMode: ConfiguredMode | undefined;
  /** The settings that are valid, by their key. */
  readonly settings: Readonly<Record<string, string | number>>;
  readonly findings: readonly Finding[];
}

const SYNCHRONOUS = ['OFF', 'NORMAL', 'FULL', 'EXTRA'];
const NUMBERS = ['cache_size', 'mmap_size', 'temp_store', 'wal_autocheckpoint', 'journal_size_limit'];
/** Unknown settings that are named. */
const MOST_UNKNOWN = 5;
export const NO_CONFIG: DatabaseConfig = { path: undefined, journalMode: undefined, settings: {}, findings: [] };

/** Reads a parsed config.yaml. `document` is what the parser made of it: anything at all. */
export function readDatabaseConfig(document: unknown, path: string): DatabaseConfig {
  const findings: Finding[] = [];
  const settings: Record<string, string | number> = {};
  const section = isRecord(document) ? document.database : undefined;
  const unknown: string[] = [];
  let journalMode: ConfiguredMode | undefined;
  const reject = (key: string, value: unknown, expected: string) => {
    findings.push({
      severity: key === 'journal_mode' ? 'error' : 'warning',
      code: 'config-invalid-value',
      path,
      message: `database.${key} is ${show(value)}, which is not ${expected}, so it has no effect`,
      remedy: `set database.${key} to ${expected}, or remove it`,
    });
  };
  if (section !== undefined && section !== null && !isRecord(section)) {
    const message = `database: is ${show(section)} and not a mapping of settings, so nothing of it has an effect`;
    findings.push({ severity: 'error', code: 'config-invalid-value', path, message });
  }
  for (const [key, value] of Object.entries(isRecord(section) ? section : {})) {
    // A key without a value is as good as absent.
    if (value === null) continue;
    if (key === 'journal_mode') {
      const mode = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
      if (mode === 'wal' || mode === 'delete') journalMode = mode;
      else reject(key, value, 'wal or delete');
    } else if (key === 'synchronous') {
      const level = synchronousLevel(value);
      if (level === undefined) reject(key, value, 'OFF, NORMAL, FULL, EXTRA or a number from 0 to 3');
      else settings[key] = level;
    } else if (NUMBERS.includes(key)) {
      if (typeof value === 'number' && Number.isSafeInteger(value)) settings[key] = value;
      else reject(key, value, 'a whole number');
    } else unknown.push(key);
  }
  findings.push(...unknownKeys(unknown, path));
  return { path, journalMode, settings, findings };
}

/** One finding for each of the first few, and one for the others together. */
function unknownKeys(keys: readonly string[], path: string): Finding[] {
  const remedy = `the known ones are ${['journal_mode', 'synchronous', ...NUMBERS].join(', ')}`;
  const finding = (message: string): Finding => ({ severity: 'warning', code: 'config-unknown-key', path, message, remedy });
  const named = keys
    .slice(0, MOST_UNKNOWN)
    .map((key) => finding(`database.${shortened(key)} is not a setting that is known, so it has no effect`));
  const others = keys.length - named.length;
  return others > 0
    ? [...named, finding(`${others} more settings below database: are not known, so they have no effect`)]
    : named;
}

/** A config.yaml that cannot be used at all. */
export function unreadableConfig(path: string, why: string): DatabaseConfig {
  const message = `the configuration could not be read (${why}), so nothing of it has an effect`;
  return { ...NO_CONFIG, path, findings: [{ severity: 'error', code: 'config-unreadable', path, message }] };
}

/** YAML 1.1 reads a bare OFF as false; a bare ON, true, is no level. */
function synchronousLevel(value: unknown): string | undefined {
  if (value === false) return 'OFF';
  if (typeof value === 'number') return SYNCHRONOUS[value];
  const text = typeof value === 'string' ? value.trim().toUpperCase() : '';
  return SYNCHRONOUS.includes(text) ? text : /^[0-3]$/.test(text) ? SYNCHRONOUS[Number(text)] : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  return shortened(JSON.stringify(value) ?? String(value));
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
