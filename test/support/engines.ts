import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, inject, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import { createPostgres } from './postgres.ts';
import { placeForFiles } from './temporary.ts';

interface Made {
  readonly url: string;
  readonly drop: () => Promise<void>;
}

export interface Engine {
  readonly engine: 'SQLite' | 'PostgreSQL';
  /** A new database, without anything in its tables. */
  readonly make: () => Promise<Made>;
  /** The `STORE_URL` of such a one, until the test ends. */
  readonly newUrl: () => Promise<string>;
  /** The same without any tables yet. */
  readonly newEmptyUrl: () => Promise<string>;
}

async function untilTestEnds(make: Engine['make']): Promise<string> {
  const { url, drop } = await make();
  onTestFinished(drop);
  return url;
}

async function makeEmptySqlite() {
  const folder = await mkdtemp(join(placeForFiles, 'cobrowse-'));
  const path = join(folder, 'data', 'store.db');
  return { path, url: `sqlite:${path}`, drop: () => rm(folder, { recursive: true, force: true }) };
}

/** A copy costs a tenth of what creating the tables does. */
async function makeSqlite(): Promise<Made> {
  const made = await makeEmptySqlite();
  await mkdir(dirname(made.path), { mode: 0o700 });
  await copyFile(inject('sqliteTemplate'), made.path);
  return made;
}

export const sqlite: Engine = {
  engine: 'SQLite',
  make: makeSqlite,
  newUrl: () => untilTestEnds(makeSqlite),
  newEmptyUrl: () => untilTestEnds(makeEmptySqlite),
};

const postgresTemplate = inject('postgresTemplate');
const makePostgres = () => createPostgres(postgresTemplate);

export const postgresql: Engine = {
  engine: 'PostgreSQL',
  make: makePostgres,
  newUrl: () => untilTestEnds(makePostgres),
  newEmptyUrl: () => untilTestEnds(createPostgres),
};

/** Whether there is a PostgreSQL server here; if not, `machine.ts` has said so. */
export const hasPostgres = postgresTemplate !== undefined;

const available: readonly Engine[] = hasPostgres ? [sqlite, postgresql] : [sqlite];

/** The engines that this suite is for, of those that can be used here: see vitest.config.ts. */
export const engines = available.filter(({ engine }) => inject('engines').includes(engine));

/** For what lies beside tests of both engines and differs in neither: it runs in the first suite alone. */
export const onlySqlite = engines.filter(({ engine }) => engine === 'SQLite');

/** Opens a database until the test ends. */
export async function openUntilTestEnds(...given: Parameters<typeof openDatabase>) {
  const database = await openDatabase(...given);
  onTestFinished(() => database.close());
  return database;
}

/** The same database as two processes have it, until the test ends. */
export const openForTwo = async (url: string) =>
  [await openUntilTestEnds(url), await openUntilTestEnds(url)] as const;

/** The `STORE_URL` of a new database for a file's tests: gone after them. */
export function storeFor({ make }: Pick<Engine, 'make'>): () => string {
  let url: string | undefined;
  beforeAll(async () => {
    const made = await make();
    url = made.url;
    return made.drop;
  });
  return () => {
    if (url === undefined) throw new Error('The database has not been made yet.');
    return url;
  };
}

/** The same on PostgreSQL, for apps that share it. */
export const storeOnPostgres = (): (() => string) => storeFor(postgresql);
