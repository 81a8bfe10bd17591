import pg from 'pg';
import { sql } from './database.ts';
import type { Database } from './database.ts';
import { DatabaseError } from './errors.ts';
import { migrate } from './migrations.ts';
import type { Upgrade } from './migrations.ts';
import { createPostgresHints } from './postgres-hints.ts';
import { ANSWER_WITHIN_MS, createSilence, noLimit, startLimit } from './postgres-limit.ts';
import { createNames, createStatements } from './postgres-statements.ts';

const MOST_CONNECTIONS = 10;
/** Networks forget connections that are quiet for a few minutes, and tell nobody. */
const KEPT_ALIVE_AFTER_MS = 60_000;

/** The driver returns bigint as text. Ours are times and counts, which fit a number. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (type, format) =>
    type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format),
};

/**
 * Opens the tables in the PostgreSQL database at `url`, for any number of processes.
 *
 * The driver is `pg`: `postgres` 3.4.9 is faster, but loses a reserved connection's caller when the server goes away
 * before it is ready, and ends the process when it sends a ROLLBACK to a connection that broke.
 *
 * @throws DatabaseError (by rejecting) if the server can't be reached, or its tables are of a version that can't work
 *   with this one
 */
export async function openPostgres(url: string, upgrade?: Upgrade): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: ANSWER_WITHIN_MS,
    application_name: 'cobrowse-for-slack',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEPT_ALIVE_AFTER_MS,
    // Sends a transaction's statements in one go: one round trip instead of one each.
    pipeline: true,
    types,
  });
  // An idle connection that breaks leaves the pool; without a listener it would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (connection) => connection.on('error', () => undefined));
  const nameOf = createNames();
  try {
    // A step may take as long as its table is large.
    await migrate(createStatements({ pool, nameOf, startLimit: noLimit }), 'postgres', upgrade);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return createPostgres(pool, url, nameOf);
}

function createPostgres(pool: pg.Pool, url: string, nameOf: ReturnType<typeof createNames>): Database {
  const hints = createPostgresHints(url, KEPT_ALIVE_AFTER_MS);
  // The connection that listens doesn't notice by itself.
  const silence = createSilence(url, hints.renew);
  const statements = createStatements({
    pool,
    nameOf,
    startLimit(lost) {
      if (silence.isOn()) throw new DatabaseError('unreachable');
      return startLimit(lost, () => silence.begin());
    },
  });
  let isClosed = false;

  return {
    skipLocked: sql`FOR UPDATE SKIP LOCKED`,
    steadyTime: () => sql`CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)`,
    ...statements,
    notify(topic, text) {
      // Never inside the transaction it is about: NOTIFY holds a server-wide lock until the commit.
      statements.send('unreachable', sql`SELECT pg_notify(${topic}, ${text})`).catch(() => undefined);
    },
    listen: (topic, heard) => hints.listen(topic, heard),
    async check() {
      await statements.send('unreachable', sql`UPDATE schema_version SET checked = checked + 1`);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await statements.finish();
      silence.close();
      hints.close();
      await pool.end();
    },
  };
}
