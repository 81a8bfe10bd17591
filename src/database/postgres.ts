import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { z } from 'zod';
import { DatabaseError, sql, type Database, type Opening } from './database.ts';
import { migrate } from './migrations.ts';
import { ANSWER_WITHIN_MS, BackendKey, createNames, createStatements } from './postgres-statements.ts';

/** The driver returns bigint as text. Ours are times and counts, which fit a number. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (type, format) =>
    type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format),
};

/** @throws DatabaseError where a file of certificates that the address names can't be read */
function connectionTo(url: string): pg.ClientConfig {
  try {
    // Networks forget connections that are quiet for a few minutes, and tell nobody.
    return { ...parseIntoClientConfig(url), keepAlive: true, keepAliveInitialDelayMillis: 60_000 };
  } catch (cause) {
    throw new DatabaseError('unreachable', cause);
  }
}

/** @param most connections at once */
function createPool(url: string, most: number): pg.Pool {
  const pool = new pg.Pool({
    ...connectionTo(url),
    max: most,
    connectionTimeoutMillis: ANSWER_WITHIN_MS,
    application_name: 'cobrowse-for-slack',
    // A transaction's statements go in one round trip.
    pipeline: true,
    types,
  });
  // A connection that breaks leaves the pool; without a listener it would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (connection) => connection.on('error', () => undefined));
  return pool;
}

/** For what somebody waits for. */
const MOST_CONNECTIONS = 7;
/** For everything else, however much of it there is. */
const MOST_IN_BACKGROUND = 3;

/**
 * Opens the tables in the PostgreSQL database at `url`, for any number of processes. The driver is `pg`: `postgres` 3.4.9 is
 * faster, but loses a reserved connection's caller when the server goes away before it is ready, and ends the process when it
 * sends a ROLLBACK to a connection that broke.
 *
 * @throws DatabaseError (by rejecting) if the server can't be reached, or its tables are of a version that can't work with us
 */
export async function openPostgres(url: string, { took, ...options }: Opening = {}): Promise<Database> {
  const pool = createPool(url, MOST_CONNECTIONS);
  try {
    // A prepared statement is the server connection's, and a pooler gives each transaction another one.
    const nameOf = (await isPooled(pool)) ? () => undefined : createNames();
    await migrate(createStatements(pool, { nameOf }), 'postgres', options);
    return createPostgres(pool, url, { nameOf, took, patienceMs: ANSWER_WITHIN_MS });
  } catch (error) {
    await pool.end();
    throw error;
  }
}

const Backend = z.tuple([z.object({ pid: z.number() })]);

/** A connection pooler doesn't pass on which of the server's processes answers. @throws DatabaseError `unreachable` */
const isPooled = (pool: pg.Pool): Promise<boolean> =>
  createStatements(pool, { nameOf: () => undefined, patienceMs: ANSWER_WITHIN_MS }).lend(
    'unreachable',
    async (connection) => {
      const { rows } = await connection.query('SELECT pg_backend_pid() AS pid');
      return Backend.parse(rows)[0].pid !== BackendKey.safeParse(connection).data?.processID;
    },
  );

function createPostgres(pool: pg.Pool, url: string, given: Parameters<typeof createStatements>[1]): Database {
  const hints = createPostgresHints(url);
  const backgroundPool = createPool(url, MOST_IN_BACKGROUND);
  const statements = createStatements(pool, given);
  const inBackground = createStatements(backgroundPool, given);
  let isClosed = false;

  const notify: Database['notify'] = (topic, text) => {
    // On its own: NOTIFY holds a server-wide lock until its commit.
    statements.send('unreachable', sql`SELECT pg_notify(${topic}, ${text})`).catch(() => undefined);
  };

  const database: Database = {
    skipLocked: sql`FOR UPDATE SKIP LOCKED`,
    steadyTime: () => sql`CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)`,
    ...statements,
    inBackground: () => background,
    notify,
    listen: hints.listen,
    async check() {
      await statements.send('unreachable', sql`UPDATE schema_version SET checked = checked + 1`);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await Promise.all([statements.finish(), inBackground.finish()]);
      hints.close();
      await Promise.all([pool.end(), backgroundPool.end()]);
    },
  };
  const background: Database = { ...database, ...inBackground };
  return database;
}

const BETWEEN_TRIES_MS = 1_000;

const listenTo = (client: pg.Client, topic: string) =>
  client.query(`LISTEN ${client.escapeIdentifier(topic)}`);

/** Hears all processes' NOTIFYs over a separate connection. Hints sent while it's broken are lost, as hints may be. */
function createPostgresHints(url: string) {
  const address = connectionTo(url);
  const heard = new EventEmitter().setMaxListeners(0);
  const topics = new Set<string>();
  const closing = new AbortController();
  let connection: pg.Client | undefined;

  async function connect(): Promise<void> {
    const client = new pg.Client({
      ...address,
      application_name: 'cobrowse-for-slack hints',
      pipeline: true,
    });
    connection = client;
    client.on('error', () => undefined);
    client.on('notification', ({ channel, payload }) => heard.emit(`topic ${channel}`, payload ?? ''));
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    client.on('end', resolve);
    try {
      await client.connect();
      await Promise.all([...topics].map((topic) => listenTo(client, topic)));
      await ended;
    } catch {
      await client.end().catch(() => undefined);
    }
  }

  async function stayConnected(): Promise<void> {
    while (!closing.signal.aborted) {
      await connect();
      await pause(BETWEEN_TRIES_MS, undefined, { ref: false, signal: closing.signal }).catch(() => undefined);
    }
  }

  function listen(topic: string, listener: (text: string) => void): () => void {
    heard.on(`topic ${topic}`, listener);
    if (!topics.has(topic)) {
      topics.add(topic);
      if (connection === undefined) void stayConnected();
      else listenTo(connection, topic).catch(() => undefined);
    }
    return () => heard.off(`topic ${topic}`, listener);
  }

  return {
    listen,
    close() {
      closing.abort();
      // Not ended, which waits for a server that may never answer.
      connection?.connection.stream.destroy();
    },
  };
}
