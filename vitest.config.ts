import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';

const known = new Map<string, boolean>();

/** Whether a file, or what it has of the tests' other files, puts something in the place of the network or the timers. */
function takesOver(path: string): boolean {
  const before = known.get(path);
  if (before !== undefined) return before;
  // Files that take each other in come back here while they are read.
  known.set(path, false);
  const found = readTakesOver(path);
  known.set(path, found);
  return found;
}

function readTakesOver(path: string): boolean {
  const source = readFileSync(path, 'utf8');
  if (/from 'nock'|useFakeTimers/u.test(source)) return true;
  const imports = [...source.matchAll(/^(?:import|export|\}).* from '(\.[^']+)';$/gmu)];
  const others = imports.map(([, to = '']) => join(dirname(path), to));
  return others.some((other) => other.startsWith('test') && takesOver(other));
}

const all = globSync('test/**/*.test.ts');
/**
 * Each gets a process of its own: undici's timers, for example, never ring again after fake ones. They come first, and so
 * does the longest of all, which otherwise others may have to wait for in the end.
 */
const alone = all.filter((path) => path === 'test/chaos/chaos.test.ts' || takesOver(path));

const common = {
  setupFiles: ['test/support/clock.ts'],
  // Nothing is to be learned from a test that was slow beside other work.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  maxConcurrency: 2,
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
