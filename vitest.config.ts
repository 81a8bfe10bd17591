import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/machine.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // A browser on a busy machine of two cores may be late once; what fails twice is broken. Nowhere but in CI.
    retry: process.env.CI === 'true' ? 1 : 0,
  },
});
