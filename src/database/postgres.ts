import pg from 'pg';
import { z } from 'zod';
import { sql } from './database.ts';
import type { Database } from './database.ts';
import { DatabaseError } from './errors.ts';
import { migrate } from './migrations.ts';
import { toDatabaseError } from './postgres-errors.ts';
import { createPostgresHints } from './postgres-hints.ts';
import { ANSWER_WITHIN_MS, BackendKey, createSilence, noLimit, startLimit } from './postgres-limit.ts';
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
export async function openPostgres(url: string): Promise<Database> {
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
  try {
    // A prepared statement is the server connection's, and a pooler gives each transaction another one.
    const nameOf = (await isPooled(pool)) ? () => undefined : createNames();
    // A step may take as long as its table is large.
    await migrate(createStatements({ pool, nameOf, startLimit: noLimit }), 'postgres');
    return createPostgres(pool, url, nameOf);
  } catch (error) {
    await pool.end();
    throw error;
  }
}

const Backend = z.tuple([z.object({ pid: z.number() })]);

/**
 * Whether a connection pooler stands before the server: it doesn't pass on which of the server's processes answers.
 *
 * @throws DatabaseError `unreachable` (by rejecting)
 */
async function isPooled(pool: pg.Pool): Promise<boolean> {
  try {
    const connection = await pool.connect();
    try {
      const { rows } = await connection.query('SELECT pg_backend_pid() AS pid');
      return Backend.parse(rows)[0].pid !== BackendKey.safeParse(connection).data?.processID;
    } finally {
      connection.release();
    }
  } catch (cause) {
    throw toDatabaseError(cause, 'unreachable');
  }
}

function createPostgres(pool: pg.Pool, url: string, nameOf: (text: string) => string | undefined): Database {
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

  const notify: Database['notify'] = (topic, text) => {
    // Never inside the transaction it is about: NOTIFY holds a server-wide lock until the commit.
    statements.send('unreachable', sql`SELECT pg_notify(${topic}, ${text})`).catch(() => undefined);
  };

  return {
    skipLocked: sql`FOR UPDATE SKIP LOCKED`,
    steadyTime: () => sql`CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)`,
    ...statements,
    notify,
    listen: hints.listen,
    async hears() {
      const isHeard = await hints.hears(notify);
      // Where nothing could be said, nothing is known.
      if (!isHeard) await statements.send('unreachable', sql`SELECT 1`);
      return isHeard;
    },
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
