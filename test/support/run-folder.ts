import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/database/open.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The engines that tests of both run on. */
    readonly engines: readonly ('SQLite' | 'PostgreSQL')[];
    /** The file that SQLite databases of the tests are copied from. */
    readonly sqliteTemplate: string;
    /** A folder that is gone after the run. */
    readonly folderOfRun: string;
  }
}

/** Once before the tests: a folder for them, with a database to copy. Called by vitest; gives what ends it. */
export async function setup({ provide, vitest }: TestProject): Promise<() => Promise<void>> {
  // For each process of tests, and the programs they start: what an earlier one has compiled is used again.
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');
  const folder = await mkdtemp(join(tmpdir(), 'cobrowse-run-'));
  provide('folderOfRun', folder);
  // Tests that run again do so because something was changed.
  vitest.onTestsRerun(() => rm(join(folder, 'app'), { recursive: true, force: true }));
  const file = join(folder, 'template.db');
  const template = await openDatabase(`sqlite:${file}`);
  await template.close();
  provide('sqliteTemplate', file);
  return () => rm(folder, { recursive: true, force: true });
}
