// The part of a host that changes nothing, passed on as it is: reading, looking, clocks, and memory of our own.

import type { FileStatus, FileSystemStatus, Host, MappableMemory, TextCodec } from '../../vfs/host.ts';

/** The base of hosts that answer the rest in a way of their own; so the compiler misses what a Host gains and they do not answer. */
export class ReadingHost {
  readonly name: string;
  readonly platform: Host['platform'];
  readonly pageSize: number;
  readonly effectiveUser: number;
  readonly stopsOnlyInJavaScript: boolean;
  readonly canMap: boolean;
  readonly processId: number;
  declare readonly text?: TextCodec;
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
    this.name = host.name;
    this.platform = host.platform;
    this.pageSize = host.pageSize;
    this.effectiveUser = host.effectiveUser;
    this.stopsOnlyInJavaScript = host.stopsOnlyInJavaScript;
    this.canMap = host.canMap;
    this.processId = host.processId;
    if (host.text) this.text = host.text;
  }

  read(fd: number, into: Uint8Array, at: number, length: number, position: number): number {
    return this.#host.read(fd, into, at, length, position);
  }

  size(fd: number): number {
    return this.#host.size(fd);
  }

  status(path: string): FileStatus | number {
    return this.#host.status(path);
  }

  statusOf(fd: number): FileStatus | number {
    return this.#host.statusOf(fd);
  }

  sizeAt(path: string): number {
    return this.#host.sizeAt(path);
  }

  list(path: string): string[] | number {
    return this.#host.list(path);
  }

  fileSystem(path: string): FileSystemStatus | number {
    return this.#host.fileSystem(path);
  }

  readLink(path: string): string | number {
    return this.#host.readLink(path);
  }

  realPath(path: string): string | number {
    return this.#host.realPath(path);
  }

  readText(path: string): string | undefined {
    return this.#host.readText(path);
  }

  pin(memory: MappableMemory): void {
    this.#host.pin(memory);
  }

  unmap(memory: MappableMemory, at: number, length: number): number {
    return this.#host.unmap(memory, at, length);
  }

  checkMemory(memory: MappableMemory): number {
    return this.#host.checkMemory(memory);
  }

  warn(line: string): void {
    this.#host.warn(line);
  }

  workingDirectory(): string {
    return this.#host.workingDirectory();
  }

  temporaryDirectories(): string[] {
    return this.#host.temporaryDirectories();
  }

  now(): number {
    return this.#host.now();
  }

  monotonic(): number {
    return this.#host.monotonic();
  }

  sleep(milliseconds: number, wake?: Int32Array): void {
    this.#host.sleep(milliseconds, wake);
  }

  random(bytes: Uint8Array): void {
    this.#host.random(bytes);
  }

  atExit(action: () => void): () => void {
    return this.#host.atExit(action);
  }
}
