// The lines typed before, kept in a file from session to session.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Lines that can be gone back to. */
export const HISTORY_SIZE = 1000;
/** The file is cut to that many when it holds this many. */
const TRIM_ABOVE = 2 * HISTORY_SIZE;

/** Where state of the user lives (https://specifications.freedesktop.org/basedir-spec/latest/). */
export function historyFile(env: NodeJS.ProcessEnv = process.env): string {
  const given = env.XDG_STATE_HOME ?? '';
  // A relative path is to be ignored, says the specification.
  const state = path.isAbsolute(given) ? given : path.join(os.homedir(), '.local', 'state');
  return path.join(state, 'holdfast', 'sql-history');
}

export class History {
  readonly #file: string;
  #last: string | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** Lines of earlier sessions, the newest first. What cannot be read is no history. */
  load(): string[] {
    let text: string;
    try {
      text = fs.readFileSync(this.#file, 'utf8');
    } catch {
      return [];
    }
    const lines = text.split('\n').filter((line) => line !== '');
    const recent = lines.slice(-HISTORY_SIZE);
    if (lines.length > TRIM_ABOVE) this.#replace(recent);
    this.#last = recent.at(-1);
    return recent.reverse();
  }

  /** Adds a line at the end, so that sessions side by side lose nothing of each other. Only the user can read the file. */
  add(line: string): void {
    if (line.trim() === '' || line === this.#last) return;
    this.#last = line;
    this.#quietly(() => {
      fs.mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 });
      fs.appendFileSync(this.#file, `${line}\n`, { mode: 0o600 });
    });
  }

  #replace(lines: string[]): void {
    this.#quietly(() => {
      const fresh = `${this.#file}.${process.pid}`;
      fs.writeFileSync(fresh, `${lines.join('\n')}\n`, { mode: 0o600 });
      fs.renameSync(fresh, this.#file);
    });
  }

  /** A history that cannot be kept (a home that is read-only, say) must not stop anybody from working. */
  #quietly(action: () => void): void {
    try {
      action();
    } catch {
      this.#last = undefined;
    }
  }
}
