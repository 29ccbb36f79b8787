// Makes dist/: one bundle for each entry, the engine beside them, and the declarations.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = path.join(root, 'dist');
const require = createRequire(import.meta.url);

fs.rmSync(dist, { recursive: true, force: true });
fs.mkdirSync(dist);

await build({
  absWorkingDir: root,
  entryPoints: {
    node: 'adapters/node/index.ts',
    bun: 'adapters/bun/index.ts',
    cli: 'adapters/cli/main.ts',
    'prompt-thread': 'adapters/cli/prompt/thread.ts',
  },
  outdir: dist,
  bundle: true,
  splitting: true,
  chunkNames: 'chunk-[hash]',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Dependencies are installed beside us; only our own code is bundled.
  packages: 'external',
  sourcemap: true,
  legalComments: 'none',
});

// The engine travels with us: its package declares a Node newer than the oldest we run on.
fs.copyFileSync(require.resolve('@sqlite.org/sqlite-wasm/sqlite3.wasm'), path.join(dist, 'sqlite3.wasm'));
fs.chmodSync(path.join(dist, 'cli.js'), 0o755);

const tsc = path.join(root, 'node_modules', '.bin', 'tsc');
execFileSync(tsc, ['--emitDeclarationOnly', '--outDir', 'dist/types', '-p', 'build/tsconfig.types.json'], {
  cwd: root,
  stdio: 'inherit',
});
