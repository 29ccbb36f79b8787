// How much of the machine /proc shows us: what may keep holders out of sight, in words.

import type { Host } from '../host.ts';

export const NO_PROCESSES = 'this system has no readable /proc, so nobody who has the file open can be found';

/** The first pid namespace of every Linux: PROC_PID_INIT_INO, 0xEFFFFFFC, in the kernel's proc_ns.h. */
const FIRST_PID_NAMESPACE = 'pid:[4026531836]';

/** Why there may be processes that `pids`, all that /proc shows, does not have. */
export function viewLimits(host: Host, pids: readonly number[]): string[] {
  const limits: string[] = [];
  const namespace = host.readLink('/proc/self/ns/pid');
  if (typeof namespace === 'number')
    limits.push(
      'whether this is a pid namespace of its own (as in a container) cannot be told; processes outside would not show',
    );
  else if (namespace !== FIRST_PID_NAMESPACE)
    limits.push('this process runs in a pid namespace of its own (as in a container), and processes outside of it do not show');
  // Process 1 is always there, so if it does not show, others are hidden too (mount option hidepid of proc(5)).
  if (!pids.includes(1)) limits.push('processes of other users are hidden from us (mount option hidepid of /proc)');
  return limits;
}
