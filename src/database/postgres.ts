import { z } from 'zod';
import { sql, type Database, type Opening } from './database.ts';
import { migrate } from './migrations.ts';
import { toDatabaseError, type Lost } from './postgres-errors.ts';
import { createPostgresHints } from './postgres-hints.ts';
import { BackendKey, createSilence, limitToSilence, startLimit, type Limit } from './postgres-limit.ts';
import { KEPT_ALIVE_AFTER_MS, createPool, type Pool } from './postgres-pool.ts';
import { createNames, createStatements, notifying, type StatementsParts } from './postgres-statements.ts';

/** For what somebody waits for. */
const MOST_CONNECTIONS = 7;
/** For everything else, however much of it there is. */
const MOST_IN_BACKGROUND = 3;
/** A server that accepts no changes may not do so for long: connections aren't made anew for each attempt. */
const RENEWED_EVERY_MS = 1_000;

/**
 * Opens the tables in the PostgreSQL database at `url`, for any number of processes.
 *
 * The driver is `pg`: `postgres` 3.4.9 is faster, but loses a reserved connection's caller when the server goes away
 * before it is ready, and ends the process when it sends a ROLLBACK to a connection that broke.
 *
 * @throws DatabaseError (by rejecting) if the server can't be reached, or its tables are of a version that can't work
 *   with this one
 */
export async function openPostgres(url: string, options: Opening = {}): Promise<Database> {
  const pool = createPool(url, MOST_CONNECTIONS);
  const untilSilent = (lost: Lost) => limitToSilence(url, lost);
  try {
    // A prepared statement is the server connection's, and a pooler gives each transaction another one.
    const nameOf = (await isPooled(pool, untilSilent('unreachable'))) ? () => undefined : createNames();
    await migrate(createStatements({ pool, nameOf, startLimit: untilSilent }), 'postgres', options);
    return createPostgres(pool, url, { nameOf, took: options.took });
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
async function isPooled(pool: Pool, limit: Limit): Promise<boolean> {
  async function ask(): Promise<boolean> {
    const connection = await pool.connect();
    limit.uses(connection);
    try {
      const { rows } = await connection.query('SELECT pg_backend_pid() AS pid');
      return Backend.parse(rows)[0].pid !== BackendKey.safeParse(connection).data?.processID;
    } finally {
      connection.release();
    }
  }
  try {
    return await Promise.race([ask(), limit.over]);
  } catch (cause) {
    throw toDatabaseError(cause, 'unreachable');
  } finally {
    limit.end();
  }
}

function createPostgres(pool: Pool, url: string, given: Pick<StatementsParts, 'nameOf' | 'took'>): Database {
  const hints = createPostgresHints(url, KEPT_ALIVE_AFTER_MS);
  const backgroundPool = createPool(url, MOST_IN_BACKGROUND);
  const pools = [pool, backgroundPool];
  let renewals = 0;
  function renew(): void {
    renewals += 1;
    for (const one of pools) one.renew();
    // The connection that listens doesn't notice by itself.
    hints.renew();
  }
  const silence = createSilence(url, renew);
  let renewing: NodeJS.Timeout | undefined;
  const shared = {
    ...given,
    startLimit(lost: Parameters<typeof startLimit>[0]) {
      const before = renewals;
      return startLimit(lost, () => {
        // What was asked on a connection that has been given up since says nothing new.
        if (renewals === before) silence.begin();
      });
    },
    steppedDown() {
      if (renewing !== undefined) return;
      renew();
      renewing = setTimeout(() => (renewing = undefined), RENEWED_EVERY_MS).unref();
    },
  };
  const statementsOn = (connections: Pool) =>
    createStatements({
      ...shared,
      pool: {
        async connect() {
          await silence.pass();
          return connections.connect();
        },
      },
    });
  const statements = statementsOn(pool);
  const inBackground = statementsOn(backgroundPool);
  let isClosed = false;

  const notify: Database['notify'] = (topic, text) => {
    statements.send('unreachable', notifying({ topic, text })).catch(() => undefined);
  };

  const database: Database = {
    skipLocked: sql`FOR UPDATE SKIP LOCKED`,
    steadyTime: () => sql`CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)`,
    ...statements,
    inBackground: () => background,
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
      await Promise.all([statements.finish(), inBackground.finish()]);
      clearTimeout(renewing);
      silence.close();
      hints.close();
      await Promise.all(pools.map((one) => one.end()));
    },
  };
  const background: Database = { ...database, ...inBackground };
  return database;
}
