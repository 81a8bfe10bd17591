import pg from 'pg';
import { parseRows, writeIfWith } from './database.ts';
import type { Database, Next, Written } from './database.ts';
import { DatabaseError } from './errors.ts';
import { migrate } from './migrations.ts';
import { isFromServer, isWorthRepeating, toDatabaseError } from './postgres-errors.ts';
import { createPostgresHints } from './postgres-hints.ts';
import { sql } from './sql.ts';
import type { Sql } from './sql.ts';

const MOST_CONNECTIONS = 10;
const CONNECT_WITHIN_MS = 5_000;
/** Slack wants its answer within 3 s, and our statements take a few milliseconds. */
const STATEMENT_WITHIN_MS = 2_500;
/** Transactions that collided (40001, 40P01) are repeated as a whole. */
const MOST_TRIES = 5;
type Lost = Parameters<typeof toDatabaseError>[1];

/** The driver returns bigint as text. Ours are times and counts, which fit a number. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (type, format) =>
    type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format),
};

/** Names for prepared statements: the same text gets the same name, so each connection prepares it once. */
function createNames(): (text: string) => string {
  const names = new Map<string, string>();
  return (text) => {
    const name = names.get(text) ?? `statement ${names.size}`;
    names.set(text, name);
    return name;
  };
}

/** Waits for all answers, then throws the first failure if there is one. */
async function answersOf(asked: readonly Promise<Written>[]): Promise<readonly Written[]> {
  const outcomes = await Promise.allSettled(asked);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

/** What comes next in a transaction. If that can't be said, it isn't the connection that broke. */
function askNext(next: Next, written: readonly Written[]): ReturnType<Next> {
  try {
    return next(written);
  } catch (cause) {
    throw cause instanceof DatabaseError ? cause : new DatabaseError('failed', cause);
  }
}

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
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    statement_timeout: STATEMENT_WITHIN_MS,
    application_name: 'cobrowse-for-slack',
    keepAlive: true,
    // Sends a transaction's statements in one go: one round trip instead of one each.
    pipeline: true,
    types,
  });
  // An idle connection that breaks leaves the pool; without a listener it would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (connection) => connection.on('error', () => undefined));
  const database = createPostgres(pool, url);
  try {
    await migrate(database, 'postgres');
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function createPostgres(pool: pg.Pool, url: string): Database {
  const nameOf = createNames();
  const hints = createPostgresHints(url);
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;

  /** Sends a statement right behind the ones before it. */
  async function ask(connection: pg.PoolClient, { words, values }: Sql): Promise<Written> {
    const text = words.reduce((before, word, index) => `${before}$${index}${word}`);
    const answer = await connection.query({ name: nameOf(text), text, values: [...values] });
    return { changed: answer.rowCount ?? 0, returned: answer.rows };
  }

  async function connect(): Promise<pg.PoolClient> {
    return pool.connect().catch((cause: unknown) => {
      throw toDatabaseError(cause, 'unreachable');
    });
  }

  async function attempt<T>(lost: Lost, work: (connection: pg.PoolClient) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const connection = await connect();
      let isWhole = true;
      try {
        return await work(connection);
      } catch (cause) {
        isWhole = isFromServer(cause);
        if (!isWorthRepeating(cause) || tries === MOST_TRIES) throw toDatabaseError(cause, lost);
      } finally {
        connection.release(!isWhole);
      }
    }
  }

  /** @param lost what it means if the connection breaks before the answer */
  async function onConnection<T>(lost: Lost, work: (connection: pg.PoolClient) => Promise<T>): Promise<T> {
    if (isClosed) throw new DatabaseError('closed');
    const answer = attempt(lost, work);
    underWay.add(answer);
    try {
      return await answer;
    } finally {
      underWay.delete(answer);
    }
  }

  const transaction = (statements: readonly Sql[], next?: Next) =>
    onConnection('unknown', async (connection) => {
      const send = (all: readonly Sql[]) => all.map((statement) => ask(connection, statement));
      try {
        const started = send([sql`BEGIN`, ...statements]);
        const others = next === undefined ? [] : askNext(next, (await answersOf(started)).slice(1));
        if (others === undefined) {
          await ask(connection, sql`ROLLBACK`);
          return undefined;
        }
        // If a statement failed, COMMIT undoes everything.
        const written = await answersOf([...started, ...send([...others, sql`COMMIT`])]);
        return written.slice(1, -1);
      } catch (cause) {
        // What failed before `next` leaves its transaction open. In the other cases none is open, and ROLLBACK does no
        // harm.
        if (isFromServer(cause)) await ask(connection, sql`ROLLBACK`);
        throw cause;
      }
    });
  const writeThen: Database['writeThen'] = (statements, next) => transaction(statements, next);

  return {
    skipLocked: sql`FOR UPDATE SKIP LOCKED`,
    steadyTime: () => sql`CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)`,
    async read(query, row) {
      const { returned } = await onConnection('unreachable', (connection) => ask(connection, query));
      return parseRows(returned, row);
    },
    async write(...statements) {
      const [only, ...others] = statements;
      if (only === undefined) return [];
      if (others.length === 0) return [await onConnection('unknown', (connection) => ask(connection, only))];
      return (await transaction(statements)) ?? [];
    },
    writeThen,
    writeIf: writeIfWith(writeThen),
    notify(topic, text) {
      // Never inside the transaction it is about: NOTIFY holds a server-wide lock until the commit.
      const statement = sql`SELECT pg_notify(${topic}, ${text})`;
      onConnection('unreachable', (connection) => ask(connection, statement)).catch(() => undefined);
    },
    listen: (topic, heard) => hints.listen(topic, heard),
    async check() {
      const statement = sql`UPDATE schema_version SET checked = checked + 1`;
      await onConnection('unreachable', (connection) => ask(connection, statement));
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await Promise.allSettled(underWay);
      await Promise.all([pool.end(), hints.close()]);
    },
  };
}
