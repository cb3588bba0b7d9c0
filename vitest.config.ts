import { defineConfig } from 'vitest/config';

/** The fast tests: everything that needs no program besides Node. */
export default defineConfig({
  test: {
    include: [
      'lib/**/*.test.ts',
      'cli/**/*.test.ts',
      'local/**/*.test.ts',
      'functions/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    exclude: ['node_modules/**', 'test/control-plane/**', 'test/package/**'],
    // Most tests wait for timers, processes or sockets: more of them fit beside each other than there are cores.
    maxWorkers: 3,
    testTimeout: 20_000,
  },
});
