// What the tests of doctor share: a host of this runtime, and all that can be seen of a folder, to prove that nothing changed.

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { makeHost } from '../../../adapters/node/flavour.ts';
import type { Host } from '../../../vfs/host.ts';
import { flavour } from '../engine/engines.ts';

export const host: Host = makeHost(flavour);

/** This host, some of whose calls answer otherwise. */
export function changedHost(change: Partial<Host>): Host {
  return Object.assign(makeHost(flavour), change);
}

/** Of everything below a folder: inode, size, mode, time of change and content. */
export function seen(folder: string): Record<string, string> {
  const all: Record<string, string> = {};
  for (const name of ['.', ...fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })].sort()) {
    const file = path.join(folder, name);
    const { ino, size, mode, mtimeNs, ctimeNs } = fs.lstatSync(file, { bigint: true });
    const isFile = fs.lstatSync(file).isFile();
    const hash = isFile ? createHash('sha256').update(fs.readFileSync(file)).digest('hex') : '';
    all[name] = [ino, size, mode, mtimeNs, ctimeNs, hash].join(' ');
  }
  return all;
}
