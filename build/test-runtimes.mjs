// Runs the test suite on other runtimes: `npm run test:runtimes`, or with names: `npm run test:runtimes -- node26 bun`, or a part of
// it: `npm run test:runtimes -- node26 test/core test/vfs`.

import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { RUNTIMES, runtimeBinary } from './runtimes.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
const asked = process.argv.slice(2);
const parts = asked.filter((argument) => argument.startsWith('test/'));
const named = asked.filter((argument) => !parts.includes(argument));
const names = named.length > 0 ? named : Object.keys(RUNTIMES);

execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });

const results = names.map((name) => {
  const binary = runtimeBinary(name);
  console.log(`\n=== ${name}: ${binary}`);
  const command = [...(name === 'bun' ? ['--bun'] : []), vitest, 'run', '--config', 'build/vitest.config.ts', ...parts];
  // Tests that start a Bun of their own find it here too.
  const env = { ...process.env, BUN: runtimeBinary('bun') };
  const { status, signal } = spawnSync(binary, command, { cwd: root, env, stdio: 'inherit' });
  return { name, passed: status === 0, how: signal ?? `exit ${status}` };
});

console.log('');
for (const { name, passed, how } of results) console.log(`${name}: ${passed ? 'passed' : `FAILED (${how})`}`);
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
