import { defineConfig } from 'vitest/config';

/** Minutes long, and measured: apart from the fast tests, and one file after the other. */
export default defineConfig({
  test: {
    include: ['test/backlog/**/*.runs.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
