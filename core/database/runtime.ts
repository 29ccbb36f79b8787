// One engine on one host, as all databases of a thread share it: VFSes, scratch memory, callbacks, the list of what is open.

import { FileVfs, type Locking } from '../../vfs/file-vfs.ts';
import type { Host } from '../../vfs/host.ts';
import type { Engine } from '../engine/engine.ts';
import { FunctionTable } from './functions.ts';
import { InterruptHandlers } from './interrupt.ts';
import { Scratch } from './scratch.ts';
import { ValueBinder, ValueReader } from './values.ts';

/** Something that must not outlive the process by accident. */
export interface Closeable {
  /** Closes whatever state it is in. Must not throw. */
  abandon(): void;
}

export class Runtime {
  readonly engine: Engine;
  readonly host: Host;
  readonly scratch: Scratch;
  readonly reader: ValueReader;
  readonly binder: ValueBinder;
  readonly interrupts: InterruptHandlers;
  readonly functions: FunctionTable;
  readonly #vfses: Record<Locking, FileVfs>;
  readonly #open = new Set<Closeable>();
  #cancelExit: (() => void) | undefined;

  constructor(engine: Engine, host: Host) {
    this.engine = engine;
    this.host = host;
    host.pin(engine.memory);
    // Registered before anything else runs: SQLite seeds its random numbers from the default VFS.
    this.#vfses = {
      kernel: new FileVfs('holdfast', host, 'kernel'),
      dotfile: new FileVfs('holdfast-dotfile', host, 'dotfile'),
    };
    engine.registerVfs(this.#vfses.kernel, true);
    engine.registerVfs(this.#vfses.dotfile, false);
    this.scratch = new Scratch(engine);
    this.reader = new ValueReader(engine.memory, engine.c, host.text);
    this.binder = new ValueBinder(engine.c, this.scratch);
    this.interrupts = new InterruptHandlers(engine);
    this.functions = new FunctionTable(engine, this.reader);
  }

  vfs(locking: Locking): FileVfs {
    return this.#vfses[locking];
  }

  /** Closes it at the end of the process, unless it is closed before. */
  track(closeable: Closeable): void {
    this.#open.add(closeable);
    this.#cancelExit ??= this.host.atExit(() => {
      for (const open of [...this.#open]) open.abandon();
    });
  }

  untrack(closeable: Closeable): void {
    this.#open.delete(closeable);
    if (this.#open.size > 0) return;
    this.#cancelExit?.();
    this.#cancelExit = undefined;
  }
}
