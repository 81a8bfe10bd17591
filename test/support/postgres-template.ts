import type { TestProject } from 'vitest/node';
import { createPostgresTemplate, whyNoPostgres } from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The database that those of the tests are copied from; undefined where there is no server, or where none is used. */
    readonly postgresTemplate: string | undefined;
  }
}

/** Once before the tests on PostgreSQL. Called by vitest; gives what ends it. */
export async function setup({
  name: project,
  provide,
}: TestProject): Promise<(() => Promise<void>) | undefined> {
  const why = await whyNoPostgres();
  if (why === undefined) {
    const { name, drop } = await createPostgresTemplate();
    provide('postgresTemplate', name);
    return drop;
  }
  process.stderr.write(
    `Tests of "${project}" on PostgreSQL are skipped: no server answers at TEST_POSTGRES_URL or on this machine (${why}). Get it by: apt-get install postgresql, and let the user postgres in from 127.0.0.1 without a password, or name another one\n`,
  );
  return undefined;
}
