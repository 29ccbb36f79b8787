// The runtimes that Holdfast is tested on, as npm packages that hold nothing but the binary, installed beside the project on demand.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const cache = path.join(root, 'node_modules', '.cache', 'holdfast-runtimes');
const arm = process.arch === 'arm64';
const node = `node-linux-${arm ? 'arm64' : 'x64'}`;
const bun = `@oven/bun-linux-${arm ? 'aarch64' : 'x64'}`;

/** Exact versions: a runtime that changes under a test run is no witness. */
export const RUNTIMES = {
  node20: { package: node, version: '20.20.2' },
  node22: { package: node, version: '22.23.5' },
  node24: { package: node, version: '24.22.3' },
  node26: { package: node, version: '26.12.1' },
  bun: { package: bun, version: '1.4.5' },
};

/** The path of a runtime's binary; installs it at the first call. */
export function runtimeBinary(name) {
  const runtime = RUNTIMES[name];
  if (!runtime) throw new Error(`No such runtime: ${name}. There are ${Object.keys(RUNTIMES).join(', ')}`);
  const folder = path.join(cache, `${name}-${runtime.version}`);
  const binary = path.join(folder, 'node_modules', runtime.package, 'bin', name === 'bun' ? 'bun' : 'node');
  if (!fs.existsSync(binary)) {
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
    const spec = `${runtime.package}@${runtime.version}`;
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact', spec], {
      cwd: folder,
      stdio: 'inherit',
    });
    fs.chmodSync(binary, 0o755);
  }
  return binary;
}
