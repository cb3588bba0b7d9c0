import { defineConfig } from 'vitest/config';

/** Tests of what is deployed: the packaged zips, each run as Lambda runs it, on a real API server. */
export default defineConfig({
  test: {
    include: ['test/package/**/*.test.ts'],
    globalSetup: ['test/package/global-setup.ts'],
    // A control plane and a dozen of functions at once are enough for two cores.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
