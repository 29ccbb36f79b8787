// How the tests run. Files in parallel are few: many of them start processes of their own.

import { defineConfig } from 'vitest/config';

const runtime = process.versions.bun ? `bun-${process.versions.bun}` : `node-${process.versions.node}`;
// In CI each run leaves its counts, which build/summary.mjs adds up.
const counts = `node_modules/.cache/holdfast-tests/${runtime}.json`;

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: process.env.CI ? ['default', ['json', { outputFile: counts }]] : ['default'],
  },
});
