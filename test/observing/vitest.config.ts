import { defineConfig } from 'vitest/config';

/** Beside the built-in controller for as long as its own limits make it take: apart from the other control plane tests. */
export default defineConfig({
  test: {
    include: ['test/observing/**/*.runs.ts'],
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 120_000,
    // The score, and nothing around it.
    disableConsoleIntercept: true,
  },
});
