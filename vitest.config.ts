import { globSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

/** Whether a file, or one of the tests' other files that it imports, says this. */
function says(words: RegExp, path: string, known = new Map<string, boolean>()): boolean {
  const before = known.get(path);
  if (before !== undefined) return before;
  // Files that import each other come back here while they are read.
  known.set(path, false);
  const source = readFileSync(path, 'utf8');
  const imports = [...source.matchAll(/^(?:import|export|\}).* from '(\.[^']+)';$/gmu)];
  const others = imports.map(([, to = '']) => join(dirname(path), to));
  const found =
    words.test(source) || others.some((other) => other.startsWith('test') && says(words, other, known));
  known.set(path, found);
  return found;
}

const all = globSync('test/**/*.test.ts');
const chaos = ['test/chaos/chaos.test.ts'];
const mocked = all.filter((path) => says(/from 'nock'/u, path));
/** undici's timers never ring again after these, so their files share no process with any others. */
const timed = all.filter((path) => says(/useFakeTimers/u, path));
const plain = all.filter((path) => ![...chaos, ...mocked, ...timed].includes(path));

/** How soon a file begins: first those of the smaller projects, then what waits for browsers and programs, which no size of a file tells. */
function rank({ moduleId, project }: TestSpecification): number {
  // A process that is kept for the files of one project would have to go for a file of another.
  const before = ['timed', 'mocked'].indexOf(project.name);
  if (before !== -1) return before;
  return /useChromium|real-app|spawn\(|startOwnP|startGate/u.test(readFileSync(moduleId, 'utf8')) ? 3 : 4;
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
  setupFiles: ['test/support/clock.ts', 'test/support/as-browser.ts'],
  // Nothing is to be learned from a test that was slow beside other work.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  maxConcurrency: 2,
  // A second, which is usual, is too short beside other work: there, a start of the app may take fifteen.
  expect: { poll: { timeout: 45_000 } },
  // One process for many files: loading the app and its libraries for each of them took most of the time.
  isolate: false,
};

export default defineConfig({
  test: {
    globalSetup: ['test/support/machine.ts'],
    sequence: { sequencer: LongestFirst },
    // Two more than the cores: many files wait for timers, disks and each other's answers, and cores would rest.
    maxWorkers: availableParallelism() + 2,
    projects: [
      // By itself, after all others: beside them its apps starve, and it takes six times as long.
      {
        test: {
          ...common,
          name: 'chaos',
          include: chaos,
          // Its runs wait more than they work.
          maxConcurrency: 4,
          sequence: { groupOrder: 1 },
        },
      },
      { test: { ...common, name: 'timed', include: timed } },
      {
        test: {
          ...common,
          name: 'mocked',
          include: mocked,
          setupFiles: [...common.setupFiles, 'test/support/nock.ts'],
        },
      },
      { test: { ...common, name: 'plain', include: plain } },
    ],
  },
});
