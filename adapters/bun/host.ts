// The Host for Bun: Node's, and descriptors that end with their worker.

import { isMainThread } from 'node:worker_threads';
import type { Platform } from '../../vfs/errno.ts';
import type { OpenMode } from '../../vfs/host.ts';
import { NodeHost } from '../node/host.ts';
import type { Libc } from '../node/libc.ts';
import { ThreadExitCloser } from './thread-exit.ts';

export class BunHost extends NodeHost {
  override readonly name = 'bun';
  // worker.terminate() waits for WebAssembly that never calls JavaScript; the main thread is ended by the system.
  override readonly stopsOnlyInJavaScript = !isMainThread;
  readonly #closer: ThreadExitCloser;

  constructor(libc: Libc, platform: Platform) {
    super(libc, platform);
    this.#closer = new ThreadExitCloser(libc);
  }

  override open(path: string, mode: OpenMode): number {
    const fd = super.open(path, mode);
    if (fd >= 0) this.#closer.watch(fd);
    return fd;
  }

  override close(fd: number): number {
    this.#closer.forget(fd);
    return super.close(fd);
  }
}
