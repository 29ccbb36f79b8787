// The command `holdfast probe`: meets a second process of its own, or whoever comes, and tells what was found out.

import type { Host } from '../../../vfs/host.ts';
import type { Classification } from '../../../vfs/mount/classification.ts';
import { classify } from '../../../vfs/mount/classify.ts';
import { type EndCode, Ground } from '../../../vfs/probe/ground.ts';
import { MAPPED_BYTES } from '../../../vfs/probe/mapped.ts';
import { type Found, probe } from '../../../vfs/probe/probe.ts';
import { type ProbeReport, report } from '../../../vfs/probe/report.ts';
import { ScratchMemory } from '../../../vfs/probe/scratch-memory.ts';
import { CallError } from '../call-error.ts';
import { EXIT } from '../exit.ts';
import { jsonDocument } from '../output/document.ts';
import { escapeLine } from '../output/escape.ts';
import { stderr, stdout } from '../output/output.ts';
import { loadHost } from '../runtime.ts';
import { drive, endBy, type Stop } from './drive.ts';
import { SecondProcess } from './second-process.ts';
import { describe } from './text.ts';

export interface ProbeOptions {
  peer?: boolean;
  /** Seconds. */
  timeout?: number;
  json?: boolean;
  second?: string;
}

const PEER_TIMEOUT = 60;
/** For the second process to start, on a machine that is slow or busy. */
const SECOND_TIMEOUT = 60;

/** Answers the exit status. */
export async function runProbe(directory: string, options: ProbeOptions): Promise<number> {
  if (directory === '') throw new CallError('DIR is empty');
  if (options.timeout !== undefined && !options.peer) throw new CallError('--timeout is for --peer: nobody else is waited for');
  const host = await loadHost();
  const mount = classify(host, directory);
  if (options.second !== undefined) return await beSecond(host, mount, options.second);
  const mode = options.peer ? 'peer' : 'one-side';
  const unfit = noFolder(host, mount);
  let found: Found | Stop;
  if (unfit) found = unfit;
  else if (mode === 'peer') found = await meetPeer(host, mount, options);
  else found = await meetSecond(host, mount);
  if ('signal' in found) return await endBy(found.signal);
  if ('reason' in found) found = endedBy('peer-left', found.reason);
  return tell(report(mode, mount, found), options);
}

function tell(told: ProbeReport, options: ProbeOptions): number {
  stdout.write(options.json ? jsonDocument(told) : describe(told));
  return told.exit;
}

async function meetPeer(
  host: Host,
  mount: Classification,
  { timeout = PEER_TIMEOUT, json }: ProbeOptions,
): Promise<Found | Stop> {
  if (!json)
    stderr.write(
      `holdfast: waiting up to ${timeout} s for \`holdfast probe --peer\` on the other side of ${escapeLine(mount.resolved)}\n`,
    );
  return outcomeOf(await drive(probe({ host, memory: scratch(host), mount, timeout: timeout * 1000, first: true })));
}

async function meetSecond(host: Host, mount: Classification): Promise<Found | Stop> {
  const meeting = new Ground(host, mount.resolved).newId();
  const second = new SecondProcess(mount.resolved, meeting);
  const order = { host, memory: scratch(host), mount, meeting, timeout: SECOND_TIMEOUT * 1000, first: true };
  const driven = await drive(probe(order), second.failed);
  await ('value' in driven && driven.value.ended === undefined ? second.end() : second.stop());
  return outcomeOf(driven);
}

async function beSecond(host: Host, mount: Classification, meeting: string): Promise<number> {
  const order = { host, memory: scratch(host), mount, meeting, timeout: SECOND_TIMEOUT * 1000, first: false };
  const found = outcomeOf(await drive(probe(order)));
  if ('signal' in found) return await endBy(found.signal);
  if ('reason' in found || found.ended === undefined) return EXIT.ok;
  stderr.write(`${escapeLine(found.ended.message)}\n`);
  return EXIT.usage;
}

function outcomeOf(driven: { value: Found } | Stop): Found | Stop {
  return 'value' in driven ? driven.value : driven;
}

function scratch(host: Host): ScratchMemory {
  const memory = new ScratchMemory(MAPPED_BYTES);
  host.pin(memory);
  return memory;
}

/** What there is to say of a DIR that is no folder. */
function noFolder(host: Host, mount: Classification): Found | undefined {
  const ground = new Ground(host, mount.resolved);
  const status = host.status(mount.resolved);
  if (typeof status !== 'number' && status.type === 'directory') return undefined;
  const message =
    typeof status === 'number'
      ? `${mount.resolved} cannot be probed: ${ground.errnos.meaning(-status)} (${ground.errno(status)})`
      : `${mount.resolved} is not a folder; name the folder of the database`;
  return endedBy('folder-failed', message);
}

function endedBy(code: EndCode, message: string): Found {
  return { ended: { code, message }, visitors: 0, leftoversRemoved: 0, leftoversKept: [] };
}
