import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** The server that tests make their own databases on. */
const SERVER = process.env['TEST_POSTGRES_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';

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

/** Makes an empty database on the server. */
export async function createPostgres(): Promise<{
  readonly url: string;
  readonly drop: () => Promise<void>;
}> {
  const name = `cobrowse_test_${randomBytes(6).toString('hex')}`;
  await ask(`CREATE DATABASE ${name}`);
  const url = new URL(SERVER);
  url.pathname = `/${name}`;
  // Whoever still has it open has lost it: for example an app that a test killed.
  return { url: url.href, drop: () => ask(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}
