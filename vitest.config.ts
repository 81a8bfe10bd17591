import { globSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

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
const CHAOS = 'test/chaos/chaos.test.ts';
/** Each gets a process of its own: undici's timers, for example, never ring again after fake ones. */
const alone = all.filter((path) => path === CHAOS || takesOver(path));

/** How soon a file begins: the longest of all, and what waits for browsers and programs, which no size of a file tells. */
function rank({ moduleId, project }: TestSpecification): number {
  if (moduleId.endsWith(CHAOS)) return 0;
  // A process that is kept for many files would have to go for one of these.
  if (project.name === 'alone') return 1;
  return /useChromium|real-app|spawn\(/u.test(readFileSync(moduleId, 'utf8')) ? 2 : 3;
}

const sizeOf = ({ moduleId }: TestSpecification): number => statSync(moduleId).size;

/** The others would have to wait for a long file that began last. */
class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = files.toSorted((one, other) => rank(one) - rank(other) || sizeOf(other) - sizeOf(one));
    return Promise.resolve(sorted);
  }
}

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
    sequence: { sequencer: LongestFirst },
    // Two more than the cores: many files wait for timers, disks and each other's answers, and cores would rest.
    maxWorkers: availableParallelism() + 2,
    projects: [
      { test: { ...common, name: 'alone', include: alone } },
      // One process for many files: loading the app and its libraries for each of them took most of the time.
      { test: { ...common, name: 'together', include: all, exclude: alone, isolate: false } },
    ],
  },
});
