// A guest: another kernel that has one of our folders as its /data, over a real share.
//
// The variable HOLDFAST_GUEST names a launcher that is called as
//
//     LAUNCHER KIND HOSTDIR -- COMMAND…
//
// with KIND one of virtiofs, virtiofs,cache=none, 9p, 9p,cache=mmap, nfs3, nfs4 and cifs. It starts a guest whose /data is HOSTDIR
// over that kind of share, runs COMMAND there, passes on its standard output and error, and ends with its status. The guest sees the
// files of this machine at the same paths: Node, the project, what was built.
//
// For nfs3, nfs4 and cifs the guest may be its own server: it then exports a copy of HOSTDIR, whose path in the guest is given by
// HOLDFAST_GUEST_EXPORT (default: /srv/x). Both sides of a probe then run in the guest, one on either path.
//
// A guest in software emulation is ten times slower than this machine: where the launcher has a limit of its own, allow 5 minutes.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { answers, type Need } from '../support/tools.ts';

export const EXPORT = process.env.HOLDFAST_GUEST_EXPORT ?? '/srv/x';
/** Milliseconds, for a launcher without a limit. */
const LIMIT = 360_000;

export interface RanInGuest {
  status: number | null;
  out: string;
  err: string;
}

export function findLauncher(): Need {
  const launcher = process.env.HOLDFAST_GUEST;
  if (launcher === undefined || launcher === '')
    return { missing: 'the variable HOLDFAST_GUEST names no launcher of guests; test/guests/guest.ts says what one has to do' };
  if (!fs.existsSync(launcher) && !answers(['which', launcher])) return { missing: `the launcher ${launcher} does not exist` };
  return { found: launcher };
}

/** Runs a line of shell in a guest. */
export function inGuest(launcher: string, kind: string, folder: string, line: string): Promise<RanInGuest> {
  return ranToItsEnd([launcher, kind, folder, '--', 'sh', '-c', line]);
}

export function ranToItsEnd([file = '', ...parameters]: string[]): Promise<RanInGuest> {
  const child = spawn(file, parameters, { stdio: ['ignore', 'pipe', 'pipe'], timeout: LIMIT });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ status: null, out, err: `${err}${error.message}` }));
    child.on('close', (status) => resolve({ status, out, err }));
  });
}
