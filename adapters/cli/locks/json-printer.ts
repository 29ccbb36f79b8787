// A look at the holders as JSON: one document, or with --watch one on each line.

import { stdout } from '../output/output.ts';
import type { Look, LookPrinter } from './command.ts';

export class JsonPrinter implements LookPrinter {
  readonly #indent: number;

  constructor(watching: boolean) {
    this.#indent = watching ? 0 : 2;
  }

  print({ path, failure, report }: Look): void {
    stdout.write(
      `${JSON.stringify(failure === undefined ? shape(path, report) : { path, error: { message: failure } }, null, this.#indent)}\n`,
    );
    stdout.flush();
  }
}

/** Spelled out, so that the shape stays as it is documented; what is not known is null. */
function shape(path: string, { holders, unattributed, uninspected, limits }: Look['report']): object {
  return {
    path,
    holders: holders.map(({ pid, command, startedAt = null, container = null, files, locks }) => ({
      pid,
      command,
      startedAt,
      container,
      files,
      locks,
    })),
    unattributed,
    uninspected,
    limits,
  };
}
