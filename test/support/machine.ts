import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { whyNoPostgres } from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    readonly hasPostgres: boolean;
  }
}

/** The path of the first of these programs that the machine has. */
function find(...names: readonly string[]): string | undefined {
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)].filter(
    (folder) => folder !== '',
  );
  return folders
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

export const chromiumPath = find('chromium', 'chromium-browser', 'google-chrome');

const say = (words: string) => process.stderr.write(`${words}\n`);

/** Once for a run, before its tests: what is skipped here and how to get it. Called by vitest. */
export async function setup({ provide }: TestProject): Promise<void> {
  if (chromiumPath === undefined)
    say('Tests in Chromium are skipped: none was found. Get it by: apt-get install chromium');
  const why = await whyNoPostgres();
  provide('hasPostgres', why === undefined);
  if (why === undefined) return;
  const words = `no PostgreSQL server answers at TEST_POSTGRES_URL or on this machine (${why}). Get it by: apt-get install postgresql, and let the user postgres in from 127.0.0.1 without a password, or name another one`;
  // In CI nothing is skipped: a green run has seen both engines.
  if (process.env['CI'] !== undefined) throw new Error(`Tests can't run: ${words}`);
  say(`Tests on PostgreSQL are skipped: ${words}`);
}
