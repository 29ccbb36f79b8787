// What every part of a probe works with: the host, the folder, its error names; and how a probe ends before it has an answer.

import { Errnos } from '../errno.ts';
import type { Host } from '../host.ts';

/** Why a probe could not find out what it was asked. */
export type EndCode = 'no-peer' | 'third-side' | 'peer-left' | 'peer-silent' | 'out-of-step' | 'folder-failed';

/** Ends a probe with the reason, one sentence without a full stop. */
export class ProbeEnd extends Error {
  readonly code: EndCode;

  constructor(code: EndCode, message: string) {
    super(message);
    this.code = code;
  }
}

export class Ground {
  readonly host: Host;
  readonly errnos: Errnos;
  /** The folder that is probed: absolute, without symbolic links. */
  readonly directory: string;

  constructor(host: Host, directory: string) {
    this.host = host;
    this.errnos = new Errnos(host.platform);
    this.directory = directory;
  }

  path(name: string): string {
    return this.directory === '/' ? `/${name}` : `${this.directory}/${name}`;
  }

  /** `EIO`, from the answer of a host call. */
  errno(result: number): string {
    return this.errnos.name(-result);
  }

  is(result: number, name: string): boolean {
    return result === -this.errnos.number(name);
  }

  failed(doing: string, result: number): ProbeEnd {
    const why = `${this.errnos.meaning(-result)} (${this.errno(result)})`;
    return new ProbeEnd('folder-failed', `${doing} in ${this.directory} failed: ${why}`);
  }

  /** A random name for one side or one meeting: 12 hex digits, 2^48 of them. */
  newId(): string {
    const bytes = new Uint8Array(6);
    this.host.random(bytes);
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
}
