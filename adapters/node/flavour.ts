// What differs between the runtimes that share this code, and the host made from it.

import { PlatformError } from '../../core/error.ts';
import type { Platform } from '../../vfs/errno.ts';
import type { Host } from '../../vfs/host.ts';
import { NodeHost } from './host.ts';
import { type Libc, loadLibc } from './libc.ts';

export interface Flavour {
  makeHost(libc: Libc, platform: Platform): Host;
  /** The runtime moves a WebAssembly memory that grows. */
  fixedMemory: boolean;
}

export const nodeFlavour: Flavour = {
  makeHost: (libc, platform) => new NodeHost(libc, platform),
  fixedMemory: false,
};

export function makeHost(flavour: Flavour): Host {
  const platform = process.platform;
  if (platform !== 'linux' && platform !== 'darwin')
    throw unsupported(
      `Holdfast does not run on ${platform} yet: it needs byte-range locks and shared mappings, which are built for Linux (and untested for macOS)`,
    );
  let libc: Libc;
  try {
    libc = loadLibc(platform);
  } catch (error) {
    throw unsupported(
      `The C library could not be reached through koffi on ${platform} ${process.arch}: ${(error as Error).message}. Without it there are no locks, and Holdfast does not run without locks`,
    );
  }
  return flavour.makeHost(libc, platform);
}

function unsupported(message: string): PlatformError {
  return new PlatformError(message, { code: 'HOLDFAST_PLATFORM', resultCode: 0 });
}
