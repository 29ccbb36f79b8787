// Closing a worker's descriptors when its thread ends, which Node does and Bun does not: a terminated worker would keep its
// locks until the whole process is gone.
//
// No JavaScript runs in a terminated worker, so the C library does it: a thread-specific value has a destructor that is
// called when the thread exits, and close(2) itself is that destructor, with the descriptor as the value.
// Source: pthread_key_create(3).

import { isMainThread } from 'node:worker_threads';
import type { Libc } from '../node/libc.ts';

/** Keys are a resource of the process (1024 with glibc, 128 with musl), so its threads share one set, made once. */
const WANTED_KEYS = 400;
/** Left alone when the system has few. */
const SPARE_KEYS = 32;
/** The keys are told from thread to thread in the C environment, which all threads of a process see; with the pid, since children inherit it. */
const VARIABLE = 'HOLDFAST_THREAD_KEYS';
const RTLD_DEFAULT = 0;

export class ThreadExitCloser {
  readonly #free: number[] = [];
  readonly #keys = new Map<number, number>();
  readonly #setSpecific: ((key: number, value: number) => number) | undefined;

  constructor(libc: Libc) {
    // The main thread ends with its process, and the kernel closes everything.
    if (isMainThread) return;
    this.#setSpecific = libc.optional('int pthread_setspecific(uint32_t key, intptr_t value)');
    if (this.#setSpecific) this.#free = sharedKeys(libc);
  }

  /** From now on the descriptor is closed when this thread ends. */
  watch(fd: number): void {
    const key = this.#free.pop();
    if (key === undefined) return;
    this.#setSpecific?.(key, fd);
    this.#keys.set(fd, key);
  }

  forget(fd: number): void {
    const key = this.#keys.get(fd);
    if (key === undefined) return;
    // Before it is closed: afterwards the number may be somebody else's.
    this.#setSpecific?.(key, 0);
    this.#keys.delete(fd);
    this.#free.push(key);
  }
}

function sharedKeys(libc: Libc): number[] {
  const environment = environmentCalls(libc);
  const known = environment.get()?.match(/^(\d+):([\d,]*)$/);
  if (known && known[1] === String(process.pid)) return known[2] ? (known[2] as string).split(',').map(Number) : [];
  const keys = makeKeys(libc);
  environment.set(`${process.pid}:${keys.join(',')}`);
  return keys;
}

function makeKeys(libc: Libc): number[] {
  const close = libc.text.dlsym(RTLD_DEFAULT, 'close');
  const create = libc.optional('int pthread_key_create(intptr_t out, intptr_t destructor)');
  const remove = libc.optional('int pthread_key_delete(uint32_t key)');
  if (!close || !create || !remove) return [];
  const out = libc.allocate(4);
  const keys: number[] = [];
  while (keys.length < WANTED_KEYS + SPARE_KEYS && create(out.address, close) === 0) keys.push(out.view.getUint32(0, true));
  for (const key of keys.splice(Math.max(0, keys.length - SPARE_KEYS))) remove(key);
  return keys;
}

function environmentCalls(libc: Libc): { get(): string | undefined; set(value: string): void } {
  return {
    get: () => libc.text.getenv(VARIABLE) ?? undefined,
    set: (value) => void libc.text.setenv(VARIABLE, value, 1),
  };
}
