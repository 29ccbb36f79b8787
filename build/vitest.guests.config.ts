// The tests that need another kernel: one guest at a time, since each takes the whole machine.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/guests/**/*.guest.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 600_000,
    reporters: ['verbose'],
  },
});
