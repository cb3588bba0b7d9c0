import { defineConfig } from 'vitest/config';

/** The fast tests: everything that needs no program besides Node. */
export default defineConfig({
  test: {
    include: ['lib/**/*.test.ts', 'local/**/*.test.ts', 'functions/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['node_modules/**', 'test/control-plane/**'],
    testTimeout: 20_000,
  },
});
