import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/machine.ts'],
    setupFiles: ['test/support/clock.ts'],
    // One fewer than the cores otherwise: on two cores, half of the machine would rest.
    maxWorkers: '100%',
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // A second, which is usual, is too short beside other work.
    expect: { poll: { timeout: 15_000 } },
  },
});
