import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const SERVER = 'test/support/postgres-template.ts';
const SETUPS = { app: [], stored: [SERVER], system: [SERVER, 'test/support/machine.ts'] };

/** Where a test lies says what it needs and when it runs: see CONTRIBUTING.md. */
export const suite = (
  name: 'app' | 'stored' | 'system',
  engines: readonly ('SQLite' | 'PostgreSQL')[],
  limitMs: number,
): TestProjectInlineConfiguration => ({
  test: {
    name,
    include: [`test/${name === 'app' ? '' : `${name}/`}**/*.test.ts`],
    exclude: name === 'app' ? ['test/system/**'] : [],
    alias: { 'node:sqlite': fileURLToPath(import.meta.resolve('./test/support/node-sqlite.ts')) },
    provide: { engines },
    globalSetup: SETUPS[name],
    setupFiles: ['test/support/clock.ts', 'test/support/as-browser.ts', 'test/support/clean-process.ts'],
    // A process runs many files: loading the app and its libraries for each of them would take most of the time.
    isolate: false,
    testTimeout: limitMs,
    hookTimeout: limitMs,
    expect: { poll: { timeout: limitMs / 2 } },
  },
});

// What waits most comes first.
const projects = [
  suite('app', ['SQLite'], 30_000),
  suite('system', ['SQLite', 'PostgreSQL'], 120_000),
  suite('stored', ['PostgreSQL'], 120_000),
];
// One worker more than there are cores: tests wait for answers a third of their time.
const maxWorkers = availableParallelism() + 1;

export default defineConfig({ test: { globalSetup: 'test/support/run-folder.ts', maxWorkers, projects } });
