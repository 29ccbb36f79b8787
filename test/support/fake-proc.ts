// A Host made of a map: files with identities, and a /proc with processes as a test describes them. Counts what it is asked.

import type { FileStatus, Host } from '../../vfs/host.ts';

const ENOENT = -2;
const EACCES = -13;

export interface FakeFile {
  readonly dev: string;
  readonly ino: string;
  readonly type?: FileStatus['type'];
}

export interface FakeDescriptor {
  /** The text of its link. */
  readonly target: string;
  /** What it leads to; what is asked of it is counted in `asked`. */
  readonly file?: FakeFile;
  readonly mountId?: number;
  /** Lock lines, without the word `lock:`. */
  readonly locks?: readonly string[];
  /** A kernel before 5.14 tells no inode number. */
  readonly withoutInode?: boolean;
}

export interface FakeProcess {
  readonly name?: string;
  readonly command?: string;
  readonly flags?: number;
  readonly state?: string;
  readonly startTicks?: number;
  readonly fds?: Readonly<Record<number, FakeDescriptor>>;
  /** `list`: its descriptors cannot be listed; `links`: listed, but not followed. */
  readonly denied?: 'list' | 'links';
  /** It ends after /proc was listed. */
  readonly vanished?: boolean;
  readonly pidNamespace?: string;
  readonly mountNamespace?: string;
  readonly mountInfo?: string;
  readonly cgroup?: string;
  /** Folders as this process sees them, below its root. */
  readonly root?: Readonly<Record<string, FakeFile>>;
}

export interface FakeMachine {
  readonly files?: Readonly<Record<string, FakeFile>>;
  readonly processes?: Readonly<Record<number, FakeProcess>>;
  readonly mountInfo?: string;
  /** The text of /proc/locks; null where it cannot be read. */
  readonly locks?: string | null;
  readonly pidNamespace?: string;
  readonly withoutProc?: boolean;
  readonly self?: number;
}

export const FIRST_PIDNS = 'pid:[4026531836]';
export const ROOT_MOUNT = '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n';
/** 254:0, as stat(2) has it. */
export const ROOT_DEV = String(254 << 8);

export function file(ino: number, dev = ROOT_DEV): FakeFile {
  return { dev, ino: String(ino) };
}

export interface FakeHost {
  readonly host: Host;
  /** Paths whose status was asked for. */
  readonly asked: string[];
  clock: number;
  /** Milliseconds that pass with each listing of a folder. */
  slowness: number;
}

export function fakeHost(machine: FakeMachine): FakeHost {
  const state = { asked: [] as string[], clock: 0, slowness: 0 };
  const processes = new Map<string, FakeProcess>(Object.entries({ 1: {}, ...machine.processes }));
  const processAt = (path: string): [FakeProcess, string] | undefined => {
    const [, number, rest] = /^\/proc\/(\d+|self)(?:\/(.*))?$/.exec(path) ?? [];
    const pid = number === 'self' ? String(machine.self ?? 1) : (number ?? '');
    const found = processes.get(pid);
    return found === undefined || found.vanished || machine.withoutProc ? undefined : [found, rest ?? ''];
  };
  const host: Partial<Host> = {
    platform: 'linux',
    processId: machine.self ?? 1,
    list(path) {
      state.clock += state.slowness;
      if (path === '/proc') return machine.withoutProc ? ENOENT : [...processes.keys(), 'cpuinfo', 'self'];
      const [found, rest] = processAt(path) ?? [];
      if (found === undefined || rest !== 'fd') return ENOENT;
      return found.denied === 'list' ? EACCES : Object.keys(found.fds ?? {});
    },
    readLink(path) {
      if (path === '/proc/self') return machine.withoutProc ? ENOENT : String(machine.self ?? 1);
      if (path === '/proc/self/ns/pid' && machine.pidNamespace) return machine.pidNamespace;
      const [found, rest] = processAt(path) ?? [];
      if (found === undefined || rest === undefined) return ENOENT;
      if (rest === 'ns/pid') return found.pidNamespace ?? FIRST_PIDNS;
      if (rest === 'ns/mnt') return found.mountNamespace ?? 'mnt:[1]';
      const target = rest.startsWith('fd/') ? found.fds?.[Number(rest.slice(3))]?.target : undefined;
      if (target === undefined) return ENOENT;
      return found.denied === 'links' ? EACCES : target;
    },
    readText(path) {
      if (path === '/proc/locks') return machine.locks === null ? undefined : (machine.locks ?? '');
      if (path === '/proc/stat') return 'cpu 1 2 3\nbtime 1000000\n';
      const [found, rest] = processAt(path) ?? [];
      if (found === undefined || rest === undefined) return undefined;
      if (rest === 'stat') return statText(found);
      if (rest === 'cmdline') return found.command ?? '';
      if (rest === 'cgroup') return found.cgroup ?? '0::/user.slice\n';
      if (rest === 'mountinfo') return found.mountInfo ?? machine.mountInfo ?? ROOT_MOUNT;
      const fd = rest.startsWith('fdinfo/') && !found.denied ? found.fds?.[Number(rest.slice(7))] : undefined;
      return fd === undefined ? undefined : infoText(fd);
    },
    status(path) {
      state.asked.push(path);
      const [found, rest] = processAt(path) ?? [];
      if (found !== undefined && rest?.startsWith('fd/')) return statusOf(found.fds?.[Number(rest.slice(3))]?.file);
      if (found !== undefined && rest?.startsWith('root')) return statusOf(found.root?.[rest.slice(4)]);
      if (found !== undefined) return statusOf(file(1));
      return statusOf(machine.files?.[path]);
    },
    realPath: (path) => (machine.files?.[path] ? path : path.includes('.') ? ENOENT : path),
    workingDirectory: () => '/',
    sleep() {},
    now: () => 0,
    monotonic: () => state.clock,
  };
  return Object.assign(state, { host: host as Host });
}

function statusOf(found: FakeFile | undefined): FileStatus | number {
  if (found === undefined) return ENOENT;
  return {
    dev: found.dev,
    ino: found.ino,
    size: 0,
    mode: 0o644,
    uid: 0,
    gid: 0,
    links: 1,
    modifiedAt: 0,
    type: found.type ?? 'file',
  };
}

function statText({ name = 'program', state = 'S', flags = 0, startTicks = 200 }: FakeProcess): string {
  return `7 (${name}) ${state} 1 7 7 0 -1 ${flags} 1 0 0 0 1 1 0 0 20 0 1 0 ${startTicks} 1000 100 0\n`;
}

function infoText({ file: found, mountId = 27, locks = [], withoutInode }: FakeDescriptor): string {
  const inode = withoutInode ? '' : `ino:\t${found?.ino ?? 3}\n`;
  return `pos:\t0\nflags:\t0100002\nmnt_id:\t${mountId}\n${inode}${locks.map((line) => `lock:\t${line}\n`).join('')}`;
}
