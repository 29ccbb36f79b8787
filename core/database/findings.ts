// What an open found out and its owner should know: remembered, handed to the caller, or said once on standard error.

import type { Finding } from '../../vfs/finding.ts';
import type { Host } from '../../vfs/host.ts';

export class Findings {
  readonly list: Finding[] = [];
  readonly #host: Host;
  readonly #receiver: ((finding: Finding) => void) | undefined;

  constructor(host: Host, receiver: ((finding: Finding) => void) | undefined) {
    this.#host = host;
    this.#receiver = receiver;
  }

  add(finding: Finding): void {
    this.list.push(finding);
    if (this.#receiver) this.#receiver(finding);
    else if (finding.severity !== 'info' && this.#host.firstTime(`${finding.code} ${finding.path}`))
      this.#host.warn(`holdfast: ${findingText(finding)}`);
  }
}

/** One line: severity, file, what is so, what to do. */
export function findingText({ severity, path, message, remedy }: Finding): string {
  return `${severity.toUpperCase()}: ${path}: ${message}.${remedy === undefined ? '' : ` To do: ${remedy}.`}`;
}
