import { join } from 'node:path';
import { beforeAll, inject, onTestFinished } from 'vitest';
import { temporaryFolder } from '../storage/temporary.ts';
import { createPostgres } from './postgres.ts';

interface Engine {
  readonly engine: string;
  /** The `STORE_URL` of a new and empty database, until the test ends. */
  readonly newUrl: () => Promise<string>;
}

const sqlite: Engine = {
  engine: 'SQLite',
  newUrl: async () => `sqlite:${join(await temporaryFolder(), 'data', 'store.db')}`,
};

const postgresql: Engine = {
  engine: 'PostgreSQL',
  async newUrl() {
    const { url, drop } = await createPostgres();
    onTestFinished(drop);
    return url;
  },
};

/** Whether there is a PostgreSQL server here; `machine.ts` has said so where there is none. */
export const hasPostgres = inject('hasPostgres');

/** Every engine that the tables can be in here. */
export const engines: readonly Engine[] = hasPostgres ? [sqlite, postgresql] : [sqlite];

/** The `STORE_URL` of a new PostgreSQL database for a file's tests, for apps that share it: gone after them. */
export function storeOnPostgres(): () => string {
  let url: string | undefined;
  beforeAll(async () => {
    const created = await createPostgres();
    url = created.url;
    return created.drop;
  });
  return () => {
    if (url === undefined) throw new Error('The database has not been made yet.');
    return url;
  };
}
