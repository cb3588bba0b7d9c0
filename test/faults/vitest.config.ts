import { defineConfig } from 'vitest/config';

/** The bad days: apart from the fast tests, since a control plane and many processes are needed, and minutes. */
export default defineConfig({
  test: {
    include: ['test/faults/**/*.runs.ts'],
    fileParallelism: false,
    testTimeout: 180_000,
    // The closing table, and nothing around it.
    disableConsoleIntercept: true,
    hookTimeout: 120_000,
  },
});
