// The command `holdfast mount`: what a path stands on, why that is safe or not, and what to do.

import type { Classification } from '../../../vfs/mount/classification.ts';
import { classify } from '../../../vfs/mount/classify.ts';
import { normalized } from '../../../vfs/mount/locate.ts';
import { LookingHost } from '../../node/looking-host.ts';
import { CallError } from '../call-error.ts';
import { EXIT } from '../exit.ts';
import { jsonDocument } from '../output/document.ts';
import { escapeLine } from '../output/escape.ts';
import { stdout } from '../output/output.ts';
import { workingDirectory } from '../working-directory.ts';
import { classifyByTable } from './given-table.ts';

export interface MountOptions {
  mountinfo?: string;
  json?: boolean;
}

/** Answers the exit status. */
export function runMount(path: string | undefined, options: MountOptions): number {
  if (path === '') throw new CallError('PATH is empty');
  const where = path ?? workingDirectory();
  const ground =
    options.mountinfo === undefined
      ? // Without the C library: this command has to be quick, and looks only.
        classify(new LookingHost(process.platform === 'linux' ? 'linux' : 'darwin'), where)
      : classifyByTable(options.mountinfo, where, absolute(where));
  stdout.write(options.json ? jsonDocument(ground) : describe(ground));
  if (ground.class === 'unknown') return EXIT.usage;
  return ground.walSafe ? EXIT.ok : EXIT.failure;
}

/** As text: in somebody else's table no link can be followed. */
function absolute(path: string): string {
  return normalized(path.startsWith('/') ? path : `${workingDirectory()}/${path}`);
}

function describe(ground: Classification): string {
  const { path, resolved, mountPoint, fsType, source, walSafe, reason, remedy } = ground;
  const rows = [
    ['class', `${ground.class}, WAL is ${walSafe ? 'safe' : 'not safe'} here`],
    ['leads to', resolved === path ? undefined : resolved],
    ['mount', mountPoint === undefined ? undefined : `${mountPoint} (type ${fsType}, source ${source || 'empty'})`],
    ['why', `${reason}.`],
    ['to do', remedy && `${remedy}.`],
  ] as const;
  const lines = rows
    .filter(([, text]) => text !== undefined)
    .map(([name, text]) => `  ${name.padEnd(10)}${escapeLine(text ?? '')}`);
  return `${escapeLine(path)}\n${lines.join('\n')}\n`;
}
