import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

type Engines = readonly ('SQLite' | 'PostgreSQL')[];

const EXCLUDED: Record<string, string[]> = { app: ['test/system/**'], system: ['test/system/chaos/**'] };

/** Where a test lies says what it needs and when it runs: see CONTRIBUTING.md. */
function suite(
  name: string,
  include: string,
  engines: Engines,
  limitMs: number,
): TestProjectInlineConfiguration {
  const needs = name === 'app' ? [] : ['test/support/postgres-template.ts'];
  return {
    test: {
      name,
      include: [`test/${include}/*.test.ts`],
      exclude: EXCLUDED[name] ?? [],
      alias: { 'node:sqlite': fileURLToPath(import.meta.resolve('./test/support/node-sqlite.ts')) },
      // After everything else, with the cores to itself: beside others its calls are late, which fail and come again.
      sequence: { groupOrder: name === 'chaos' ? 1 : 0 },
      provide: { engines },
      globalSetup: include.startsWith('system') ? [...needs, 'test/support/machine.ts'] : needs,
      setupFiles: ['test/support/clock.ts', 'test/support/as-browser.ts', 'test/support/clean-process.ts'],
      // A process runs many files: loading the app and its libraries for each of them would take most of the time.
      isolate: false,
      testTimeout: limitMs,
      hookTimeout: limitMs,
      expect: { poll: { timeout: limitMs / 2 } },
    },
  };
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/run-folder.ts'],
    // One more than there are cores: tests wait for answers a third of their time.
    maxWorkers: availableParallelism() + 1,
    projects: [
      suite('app', '**', ['SQLite'], 30_000),
      suite('system', 'system/**', ['SQLite', 'PostgreSQL'], 120_000),
      suite('chaos', 'system/chaos', ['SQLite', 'PostgreSQL'], 120_000),
      suite('stored', 'stored/**', ['PostgreSQL'], 120_000),
    ],
  },
});
