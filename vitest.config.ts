import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const all = globSync('test/**/*.test.ts');
/** nock puts itself in the place of the process's network, so that who uses it gets a process of their own. */
const alone = all.filter((path) => readFileSync(path, 'utf8').includes("from 'nock'"));

const common = {
  setupFiles: ['test/support/clock.ts'],
  testTimeout: 20_000,
  hookTimeout: 30_000,
  // A second, which is usual, is too short beside other work.
  expect: { poll: { timeout: 15_000 } },
};

export default defineConfig({
  test: {
    globalSetup: ['test/support/machine.ts'],
    // One fewer than the cores otherwise: on two cores, half of the machine would rest.
    maxWorkers: '100%',
    projects: [
      { test: { ...common, name: 'alone', include: alone } },
      // One process for many files: loading the app and its libraries for each of them took most of the time.
      { test: { ...common, name: 'together', include: all, exclude: alone, isolate: false } },
    ],
  },
});
