// A Vfs as SQLite sees it: the C structs sqlite3_vfs and sqlite3_io_methods in the engine's memory, and the callbacks in them.
//
// Source: https://sqlite.org/c3ref/vfs.html and https://sqlite.org/c3ref/io_methods.html; the offsets are those of a
// 32-bit machine, where a pointer and an int take four bytes.

import * as code from '../../vfs/codes.ts';
import { FCNTL } from '../../vfs/codes.ts';
import type { Vfs, VfsFile } from '../../vfs/vfs.ts';
import type { Callback, EngineMemory, Pointer, SqliteFunctions } from './engine.ts';
import { allocateCString, readCString } from './strings.ts';

const VFS_STRUCT_SIZE = 88;
const METHODS_STRUCT_SIZE = 76;
/** sqlite3_file: the pointer to its methods, then the index of our own object. Eight keeps 64-bit alignment. */
const FILE_STRUCT_SIZE = 8;
/** 1970-01-01 in milliseconds of the Julian day, which SQLite's clock counts in. */
const UNIX_EPOCH_JULIAN_MS = 210866760000000;
const MS_PER_DAY = 86400000;
const TWO_TO_32 = 4294967296;

type Parts = { memory: EngineMemory; c: SqliteFunctions; callbacks(callbacks: readonly Callback[]): Pointer[] };

/** Everything that one VFS's callbacks share: the table of open files and the structs that describe them. */
export class VfsBridge {
  readonly #vfs: Vfs;
  readonly #memory: EngineMemory;
  readonly #c: SqliteFunctions;
  readonly #files: (VfsFile | undefined)[] = [];
  readonly #free: number[] = [];
  /** io_methods by version: 1 without, 2 with a wal-index. */
  #methods: [plain: Pointer, withWalIndex: Pointer] = [0, 0];

  constructor(vfs: Vfs, parts: Parts) {
    this.#vfs = vfs;
    this.#memory = parts.memory;
    this.#c = parts.c;
  }

  /** Builds the structs; the answer is the sqlite3_vfs to register. They live as long as the engine. */
  install(parts: Parts): Pointer {
    const io = parts.callbacks(this.#ioCallbacks());
    const shm = parts.callbacks(this.#shmCallbacks());
    const own = parts.callbacks(this.#vfsCallbacks());
    this.#methods = [this.#struct(METHODS_STRUCT_SIZE, [1, ...io]), this.#struct(METHODS_STRUCT_SIZE, [2, ...io, ...shm])];
    const zName = allocateCString(this.#memory, this.#c, this.#vfs.name).pointer;
    const [open, del, access, full, random, sleep, time, lastError, time64] = own as number[];
    const head = [2, FILE_STRUCT_SIZE, this.#vfs.maxPathname, 0, zName, 0];
    const noLibraries = [0, 0, 0, 0];
    return this.#struct(VFS_STRUCT_SIZE, [
      ...head,
      ...([open, del, access, full] as number[]),
      ...noLibraries,
      ...([random, sleep, time, lastError, time64] as number[]),
    ]);
  }

  #struct(size: number, words: number[]): Pointer {
    const pointer = this.#c.malloc(size);
    this.#memory.i32.fill(0, pointer >> 2, (pointer + size) >> 2);
    this.#memory.i32.set(words, pointer >> 2);
    return pointer;
  }

  #file(pointer: Pointer): VfsFile {
    return this.#files[this.#memory.i32[(pointer >> 2) + 1] as number] as VfsFile;
  }

  #poke(pointer: Pointer, value: number): void {
    this.#memory.i32[pointer >> 2] = value;
  }

  #poke64(pointer: Pointer, value: number): void {
    this.#poke(pointer, (value % TWO_TO_32) | 0);
    this.#poke(pointer + 4, Math.floor(value / TWO_TO_32));
  }

  #ioCallbacks(): Callback[] {
    const level = (value: number) => value as code.LockLevel;
    return [
      this.#guarded('ii', code.IOERR_CLOSE, (p) => this.#close(p)),
      this.#guarded('iiiiI', code.IOERR_READ, (p, at, n, offset) => this.#file(p).read(this.#memory.u8, at, n, offset)),
      this.#guarded('iiiiI', code.IOERR_WRITE, (p, at, n, offset) => this.#file(p).write(this.#memory.u8, at, n, offset)),
      this.#guarded('iiI', code.IOERR_TRUNCATE, (p, size) => this.#file(p).truncate(size)),
      this.#guarded('iii', code.IOERR_FSYNC, (p) => this.#file(p).sync()),
      this.#guarded('iii', code.IOERR_FSTAT, (p, out) => {
        const size = this.#file(p).size();
        if (size < 0) return -size;
        this.#poke64(out, size);
        return code.OK;
      }),
      this.#guarded('iii', code.IOERR_LOCK, (p, wanted) => this.#file(p).locks?.lock(level(wanted)) ?? code.OK),
      this.#guarded('iii', code.IOERR_UNLOCK, (p, wanted) => this.#file(p).locks?.unlock(level(wanted)) ?? code.OK),
      this.#guarded('iii', code.IOERR_CHECKRESERVEDLOCK, (p, out) => this.#yesNo(this.#file(p).locks?.reserved() ?? 0, out)),
      this.#guarded('iiii', code.ERROR, (p, operation, argument) => this.#control(this.#file(p), operation, argument)),
      this.#guarded('ii', 0, (p) => this.#file(p).sectorSize),
      this.#guarded('ii', 0, (p) => this.#file(p).characteristics),
    ];
  }

  #shmCallbacks(): Callback[] {
    return [
      this.#guarded('iiiiii', code.IOERR_SHMMAP, (p, index, size, extend, out) => {
        const answer = this.#file(p).walIndex?.map(index, size, extend !== 0, this.#memory);
        this.#poke(out, answer?.value ?? 0);
        return answer?.code ?? code.IOERR_SHMMAP;
      }),
      this.#guarded(
        'iiiii',
        code.IOERR_SHMLOCK,
        (p, offset, count, flags) => this.#file(p).walIndex?.lock(offset, count, flags) ?? code.IOERR_SHMLOCK,
      ),
      this.#guarded('vi', 0, (p) => {
        this.#file(p).walIndex?.barrier();
        return 0;
      }),
      this.#guarded('iii', code.OK, (p, remove) => this.#file(p).walIndex?.unmap(remove !== 0) ?? code.OK),
    ];
  }

  #vfsCallbacks(): Callback[] {
    return [
      this.#guarded('iiiiii', code.CANTOPEN, (_, name, p, flags, out) => this.#open(name, p, flags, out)),
      this.#guarded('iiii', code.IOERR_DELETE, (_, name, sync) => this.#vfs.delete(this.#text(name), sync !== 0)),
      this.#guarded('iiiii', code.IOERR_ACCESS, (_, name, kind, out) =>
        this.#yesNo(this.#vfs.access(this.#text(name), kind), out),
      ),
      this.#guarded('iiiii', code.CANTOPEN, (_, name, size, out) => this.#fullPathname(name, size, out)),
      this.#guarded('iiii', 0, (_, count, out) => {
        this.#vfs.random(this.#memory.u8.subarray(out, out + count));
        return count;
      }),
      this.#guarded('iii', 0, (_, microseconds) => {
        this.#vfs.sleep(microseconds);
        return microseconds;
      }),
      this.#guarded('iii', code.ERROR, (_, out) => {
        this.#memory.f64[out >> 3] = (UNIX_EPOCH_JULIAN_MS + this.#vfs.now()) / MS_PER_DAY;
        return code.OK;
      }),
      this.#guarded('iiii', 0, () => this.#vfs.lastFault?.errno ?? 0),
      this.#guarded('iii', code.ERROR, (_, out) => {
        this.#poke64(out, UNIX_EPOCH_JULIAN_MS + Math.floor(this.#vfs.now()));
        return code.OK;
      }),
    ];
  }

  /** A JavaScript exception must never reach C, whose frames it would skip: it becomes an error code. */
  #guarded(signature: string, failure: number, call: (...args: number[]) => number): Callback {
    return {
      signature,
      // A fixed list of parameters: rest arguments would make an array at every page read.
      call: (a?: number, b?: number, c?: number, d?: number, e?: number) => {
        try {
          return call(a as number, b as number, c as number, d as number, e as number);
        } catch (error) {
          this.#vfs.noteException(error, failure);
          return failure;
        }
      },
    };
  }

  #text(pointer: Pointer): string {
    return readCString(this.#memory, pointer) as string;
  }

  #yesNo(answer: number, out: Pointer): number {
    if (answer < 0) return -answer;
    this.#poke(out, answer);
    return code.OK;
  }

  #open(name: Pointer, p: Pointer, flags: number, outFlags: Pointer): number {
    // NULL methods tell SQLite not to close a file that did not open.
    this.#poke(p, 0);
    const opened = this.#vfs.open(readCString(this.#memory, name), flags);
    if (opened.code !== code.OK || opened.value === undefined) return opened.code || code.CANTOPEN;
    const { file } = opened.value;
    const slot = this.#free.pop() ?? this.#files.length;
    this.#files[slot] = file;
    this.#poke(p + 4, slot);
    this.#poke(p, this.#methods[file.walIndex ? 1 : 0]);
    if (outFlags !== 0) this.#poke(outFlags, opened.value.flags);
    return code.OK;
  }

  #close(p: Pointer): number {
    const slot = this.#memory.i32[(p >> 2) + 1] as number;
    const file = this.#files[slot] as VfsFile;
    this.#files[slot] = undefined;
    this.#free.push(slot);
    return file.close();
  }

  #fullPathname(name: Pointer, size: number, out: Pointer): number {
    const answer = this.#vfs.fullPathname(this.#text(name));
    if (answer.code !== code.OK) return answer.code;
    const bytes = new TextEncoder().encode(answer.value);
    if (bytes.length + 1 > size) return code.CANTOPEN_FULLPATH;
    this.#memory.u8.set(bytes, out);
    this.#memory.u8[out + bytes.length] = 0;
    return code.OK;
  }

  #control(file: VfsFile, operation: number, argument: Pointer): number {
    const { controls } = file;
    switch (operation) {
      case FCNTL.VFSNAME:
        this.#poke(argument, allocateCString(this.#memory, this.#c, this.#vfs.name).pointer);
        return code.OK;
      case FCNTL.LOCKSTATE:
        this.#poke(argument, file.locks?.level ?? 0);
        return code.OK;
      case FCNTL.LAST_ERRNO:
        this.#poke(argument, controls?.lastErrno ?? this.#vfs.lastFault?.errno ?? 0);
        return code.OK;
    }
    if (!controls) return code.NOTFOUND;
    const value = this.#memory.i32[argument >> 2] as number;
    switch (operation) {
      case FCNTL.CHUNK_SIZE:
        controls.chunkSize = value;
        return code.OK;
      case FCNTL.SIZE_HINT:
        return controls.sizeHint((value >>> 0) + (this.#memory.i32[(argument >> 2) + 1] as number) * TWO_TO_32);
      case FCNTL.PERSIST_WAL:
        if (value >= 0) controls.persistWal = value !== 0;
        this.#poke(argument, controls.persistWal ? 1 : 0);
        return code.OK;
      case FCNTL.POWERSAFE_OVERWRITE:
        if (value >= 0) controls.powersafeOverwrite = value !== 0;
        this.#poke(argument, controls.powersafeOverwrite ? 1 : 0);
        return code.OK;
      case FCNTL.HAS_MOVED:
        this.#poke(argument, controls.hasMoved() ? 1 : 0);
        return code.OK;
    }
    return code.NOTFOUND;
  }
}
