import { defineConfig } from 'vitest/config';

/** Tests on a real control plane: apart from the unit tests, since each file starts processes of its own. */
export default defineConfig({
  test: {
    include: ['test/control-plane/**/*.test.ts'],
    // A plane takes 400 MB and most of two cores while it starts.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
