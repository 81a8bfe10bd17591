import { defineConfig } from 'vitest/config';

/** The tests of the rooms whose faults are planted, in the suite of `npm test`. Stryker takes no projects. */
export default defineConfig({
  test: {
    include: JSON.parse(process.env['TESTS_OF_MUTANTS'] ?? '[]'),
    provide: { engines: ['SQLite'] },
    globalSetup: ['test/support/run-folder.ts'],
    setupFiles: ['test/support/clock.ts', 'test/support/clean-process.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 15_000 } },
  },
});
