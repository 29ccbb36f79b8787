// Where sqlite3.wasm lies: beside the bundle once built, in its package while developing.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { PlatformError } from '../../core/error.ts';

const NAME = 'sqlite3.wasm';

/** Reads the engine's bytes. Throws PlatformError that names every place looked at. */
export function readWasm(): Uint8Array<ArrayBuffer> {
  const looked: string[] = [];
  for (const place of [besideUs, inPackage]) {
    const path = place();
    if (path === undefined) continue;
    looked.push(path);
    try {
      return fs.readFileSync(path) as Uint8Array<ArrayBuffer>;
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENOENT') throw missing(`${path}: ${(error as Error).message}`);
    }
  }
  throw missing(`looked for ${looked.join(' and ')}`);
}

function besideUs(): string | undefined {
  return import.meta.url.startsWith('file:') ? fileURLToPath(new URL(`./${NAME}`, import.meta.url)) : undefined;
}

function inPackage(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(`@sqlite.org/sqlite-wasm/${NAME}`);
  } catch {
    return undefined;
  }
}

function missing(what: string): PlatformError {
  return new PlatformError(
    `The engine ${NAME} could not be read: ${what}. A bundler that moves Holdfast must copy this file beside it`,
    {
      code: 'HOLDFAST_NO_ENGINE',
      resultCode: 0,
    },
  );
}
