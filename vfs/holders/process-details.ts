// What is to be said of a process: its command line, when it began, and where it runs. Source: proc_pid_stat(5), cgroups(7).

import type { Host } from '../host.ts';

/** Ticks of the clock in a second, as /proc counts them: USER_HZ, 100 on every architecture that runs Node or Bun. */
const TICKS = 100;
/** PF_KTHREAD in the kernel's sched.h: a thread of the kernel itself, which has no files. */
const KERNEL_THREAD = 0x00200000;
/** Characters of an id that people know containers by. */
const SHORT_ID = 12;

/** The fields of /proc/PID/stat that we use. */
export interface ProcessStat {
  /** The short name, at most 15 bytes. */
  readonly name: string;
  readonly state: string;
  readonly isKernelThread: boolean;
  /** Clock ticks after the system's start. */
  readonly startTicks: number;
}

/** Parses /proc/PID/stat. The name stands in parentheses, and may itself have blanks and parentheses: the last one ends it. */
export function parseStat(text: string): ProcessStat | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 0 || close < open) return undefined;
  const fields = text.slice(close + 2).split(' ');
  // The first of these is field 3, so field n is at n - 3: state 3, flags 9, starttime 22.
  const startTicks = Number(fields[19]);
  if (!Number.isFinite(startTicks)) return undefined;
  return {
    name: text.slice(open + 1, close),
    state: fields[0] ?? '',
    isKernelThread: (Number(fields[6]) & KERNEL_THREAD) !== 0,
    startTicks,
  };
}

/** True for what can have no file open: threads of the kernel, and processes that are dead but not yet reaped. */
export function holdsNoFiles(stat: ProcessStat): boolean {
  return stat.isKernelThread || stat.state === 'Z' || stat.state === 'X';
}

const RUNTIMES: readonly (readonly [runtime: string, pattern: RegExp])[] = [
  ['docker', /.*(?:\/docker\/|\bdocker-)([0-9a-f]{64})/],
  ['podman', /\blibpod-([0-9a-f]{64})/],
  ['containerd', /\bcri-containerd-([0-9a-f]{64})/],
  ['cri-o', /\bcrio-([0-9a-f]{64})/],
  ['kubernetes', /\bkubepods.*\/(?:\w+-)?([0-9a-f]{64})/],
  ['lxc', /\blxc\.payload\.([^/\n]+)/],
  ['container', /([0-9a-f]{64})/],
];

/** Names the container of a process by the text of its cgroup file: `docker 3f2a9c01b2d4`. */
export function containerOf(cgroup: string): string | undefined {
  for (const [runtime, pattern] of RUNTIMES) {
    const id = pattern.exec(cgroup)?.[1];
    if (id !== undefined) return `${runtime} ${id.slice(0, SHORT_ID)}`;
  }
  return undefined;
}

export interface ProcessDetails {
  readonly command: string;
  readonly startedAt: number | undefined;
  readonly container: string | undefined;
}

/** Tells of processes of one /proc; what they have in common is read once. */
export class ProcessTeller {
  readonly #host: Host;
  readonly #bootSeconds: number;
  readonly #container: string | undefined;
  readonly #pidNamespace: string | number;

  constructor(host: Host) {
    this.#host = host;
    this.#bootSeconds = Number(/^btime (\d+)$/m.exec(host.readText('/proc/stat') ?? '')?.[1] ?? Number.NaN);
    this.#container = containerOf(host.readText('/proc/self/cgroup') ?? '');
    this.#pidNamespace = host.readLink('/proc/self/ns/pid');
  }

  /** undefined if there is no such process (any more), or it is hidden. */
  tell(pid: number): ProcessDetails | undefined {
    const stat = parseStat(this.#host.readText(`/proc/${pid}/stat`) ?? '');
    if (stat === undefined) return undefined;
    const words = (this.#host.readText(`/proc/${pid}/cmdline`) ?? '').replace(/\0+$/, '').replaceAll('\0', ' ');
    const startedAt = Math.round((this.#bootSeconds + stat.startTicks / TICKS) * 1000);
    return {
      command: words.trim() === '' ? `[${stat.name}]` : words,
      startedAt: Number.isFinite(startedAt) ? startedAt : undefined,
      container: this.#whereabouts(pid),
    };
  }

  #whereabouts(pid: number): string | undefined {
    const container = containerOf(this.#host.readText(`/proc/${pid}/cgroup`) ?? '');
    if (container !== undefined && container !== this.#container) return container;
    const namespace = this.#host.readLink(`/proc/${pid}/ns/pid`);
    const comparable = typeof namespace === 'string' && typeof this.#pidNamespace === 'string';
    return comparable && namespace !== this.#pidNamespace ? 'another pid namespace' : undefined;
  }
}
