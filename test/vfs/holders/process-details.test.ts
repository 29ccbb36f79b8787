// What /proc says of a process, parsed: names with parentheses, kernel threads, containers by their cgroup.

import { describe, expect, it } from 'vitest';
import { containerOf, holdsNoFiles, ProcessTeller, parseStat } from '../../../vfs/holders/process-details.ts';
import { fakeHost } from '../../support/fake-proc.ts';

const ID = '3f2a9c01b2d4e5f60718293a4b5c6d7e8f90123456789abcdef0123456789abc';

describe('/proc/PID/stat', () => {
  it('ends the name at its last parenthesis', () => {
    const stat = parseStat('42 (a) b (c) S 1 42 42 0 -1 4194560 1 0 0 0 1 1 0 0 20 0 1 0 12345 1000 100 0\n');
    expect(stat).toEqual({ name: 'a) b (c', state: 'S', isKernelThread: false, startTicks: 12345 });
  });

  it.each(['', '42', '42 (x', '42 (x) S 1 2', ')('])('that is no such text, %j, gives nothing', (text) => {
    expect(parseStat(text)).toBeUndefined();
  });

  it('tells who can have no files: kernel threads and the dead', () => {
    const text = (state: string, flags: number) => `2 (k) ${state} 0 0 0 0 -1 ${flags} 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0`;
    const answer = (state: string, flags: number) =>
      holdsNoFiles(parseStat(text(state, flags)) as NonNullable<ReturnType<typeof parseStat>>);
    // Flags of a real kernel thread, and of a real shell.
    expect(answer('S', 2129984)).toBe(true);
    expect(answer('S', 4194560)).toBe(false);
    expect(answer('Z', 4194560)).toBe(true);
  });
});

describe('the container of a process', () => {
  it.each([
    [`0::/system.slice/docker-${ID}.scope`, 'docker 3f2a9c01b2d4'],
    [`12:pids:/docker/${ID}\n11:cpu:/docker/${ID}`, 'docker 3f2a9c01b2d4'],
    [`0::/../docker-${ID}.scope`, 'docker 3f2a9c01b2d4'],
    [`0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-${ID}.scope/container`, 'podman 3f2a9c01b2d4'],
    [
      `0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1.slice/cri-containerd-${ID}.scope`,
      'containerd 3f2a9c01b2d4',
    ],
    [`1:name=systemd:/kubepods/burstable/pod0a1b/${ID}`, 'kubernetes 3f2a9c01b2d4'],
    [`0::/kubepods.slice/crio-${ID}.scope`, 'cri-o 3f2a9c01b2d4'],
    ['0::/lxc.payload.web1/init.scope', 'lxc web1'],
    [`0::/odd/${ID}`, 'container 3f2a9c01b2d4'],
    ['0::/user.slice/user-0.slice/session-1.scope', undefined],
    ['0::/', undefined],
    ['', undefined],
  ])('%s', (text, name) => {
    expect(containerOf(text)).toBe(name);
  });
});

describe('a process', () => {
  const teller = (processes: Parameters<typeof fakeHost>[0]['processes']) =>
    new ProcessTeller(fakeHost({ ...(processes && { processes }) }).host);

  it('is told by its command line, with blanks between arguments, and its start', () => {
    const told = teller({ 7: { command: 'python3\0agent.py\0--name\0a b\0', startTicks: 250 } }).tell(7);
    expect(told).toEqual({ command: 'python3 agent.py --name a b', startedAt: 1_000_002_500, container: undefined });
  });

  it('without a command line is told by its name in brackets', () => {
    expect(teller({ 7: { name: 'kworker/0:1 (x)' } }).tell(7)?.command).toBe('[kworker/0:1 (x)]');
    expect(teller({ 7: { name: 'blank', command: '\0\0' } }).tell(7)?.command).toBe('[blank]');
  });

  it('that is gone is nothing', () => {
    expect(teller({ 7: { vanished: true } }).tell(7)).toBeUndefined();
    expect(teller({}).tell(8)).toBeUndefined();
  });

  it('is told to be in a container or another pid namespace only where we are not', () => {
    const cgroup = `0::/system.slice/docker-${ID}.scope`;
    expect(teller({ 7: { cgroup, pidNamespace: 'pid:[5]' } }).tell(7)?.container).toBe('docker 3f2a9c01b2d4');
    expect(teller({ 7: { pidNamespace: 'pid:[5]' } }).tell(7)?.container).toBe('another pid namespace');
    expect(teller({ 1: { cgroup }, 7: { cgroup } }).tell(7)?.container).toBeUndefined();
  });
});
