import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { openDatabase } from '../../src/database/open.ts';

/** The server that tests make their own databases on. */
const SERVER = process.env['TEST_POSTGRES_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';

interface Made {
  readonly name: string;
  readonly url: string;
  readonly drop: () => Promise<void>;
}

async function ask(statement: string): Promise<void> {
  const server = new pg.Client({ connectionString: SERVER, connectionTimeoutMillis: 5_000 });
  await server.connect();
  try {
    await server.query(statement);
  } finally {
    await server.end();
  }
}

/** Why no PostgreSQL server can be used; undefined if one can. */
export async function whyNoPostgres(): Promise<string | undefined> {
  return ask('SELECT 1').then(
    () => undefined,
    (error: unknown) => String(error),
  );
}

/**
 * Makes a database on the server.
 *
 * @param template the name of the one to copy; without it, the new one is empty
 */
export async function createPostgres(template = 'template1'): Promise<Made> {
  const name = `cobrowse_test_${randomBytes(6).toString('hex')}`;
  await ask(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = new URL(SERVER);
  url.pathname = `/${name}`;
  // Whoever still has it open has lost it: for example an app that a test killed.
  return { name, url: url.href, drop: () => ask(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

/** Makes one with the app's tables, to copy from: a copy is made in a third of the time that the tables take. */
export async function createPostgresTemplate(): Promise<Made> {
  const made = await createPostgres();
  const database = await openDatabase(made.url);
  await database.close();
  return made;
}
