import type pg from 'pg';
import { z } from 'zod';
import {
  parseRows,
  sql,
  writeIfWith,
  type Database,
  type Hint,
  type Next,
  type Opening,
  type Sql,
  type Written,
} from './database.ts';
import { DatabaseError, ofReading, type DatabaseErrorKind } from './errors.ts';
import type { Limit, Lost } from './postgres-limit.ts';
import type { Pool } from './postgres-pool.ts';

const Failure = z.object({ code: z.string() });

// SQLSTATE, https://www.postgresql.org/docs/15/errcodes-appendix.html
const kinds: ReadonlyMap<string, DatabaseErrorKind> = new Map([
  ['53100', 'full'],
  ['53200', 'full'],
  ['40001', 'locked'], // two transactions in each other's way, also after the repeats
  ['40P01', 'locked'],
  ['55P03', 'locked'],
  ['57014', 'locked'], // given up, by us or by the server: mostly it waited for a lock
  ['28000', 'no-access'],
  ['28P01', 'no-access'],
  ['3D000', 'no-access'],
  ['42501', 'no-access'],
  ['25006', 'read-only'], // also a standby's answer
  ['XX001', 'corrupt'],
  ['XX002', 'corrupt'],
  ['53300', 'unreachable'], // too many connections
  ['57P03', 'unreachable'], // starting up
]);

const codeOf = (cause: unknown): string => Failure.safeParse(cause).data?.code ?? '';

/** Whether the server itself sent the error, so the connection is still good: no shutdown (57P) or broken connection (08). */
const isFromServer = (cause: unknown): boolean =>
  // Every one has a digit; without that, EPIPE would be one.
  /^(?!08|57P)(?=.*\d)[0-9A-Z]{5}$/.test(codeOf(cause));

/** `cause` is the driver's error. @param lost what it means if it didn't come from the server */
export function toDatabaseError(cause: unknown, lost: Lost): DatabaseError {
  if (cause instanceof DatabaseError) return cause;
  const known = kinds.get(codeOf(cause));
  if (known !== undefined) return new DatabaseError(known, cause);
  return new DatabaseError(isFromServer(cause) ? 'failed' : lost, cause);
}

/** It accepts no changes, as where another server has taken over. */
const hasSteppedDown = (cause: unknown): boolean => codeOf(cause) === '25006';

/** The server undid it only because another transaction was in its way. */
const isWorthRepeating = (cause: unknown): boolean => ['40001', '40P01'].includes(codeOf(cause));

/** A transaction that collided (40001, 40P01) is repeated as a whole. */
const MOST_TRIES = 5;

/** The same text gets the same name, so each connection prepares it once: half the processor time (docs/benchmarks.md). */
export function createNames(): (text: string) => string {
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

/** If it can't be said what comes next, it isn't the connection that broke. */
function askNext(next: Next, written: readonly Written[]): ReturnType<Next> {
  try {
    return next(written);
  } catch (cause) {
    throw cause instanceof DatabaseError ? cause : new DatabaseError('failed', cause);
  }
}

export interface StatementsParts extends Pick<Opening, 'took'> {
  readonly pool: Pick<Pool, 'connect'>;
  /** Undefined if a statement isn't to be prepared. */
  readonly nameOf: (text: string) => string | undefined;
  readonly startLimit: (lost: Lost) => Limit;
  /** Called when the server turns out to accept no changes: another one may do so by now. */
  readonly steppedDown?: () => void;
}

export const notifying = ({ topic, text }: Hint): Sql => sql`SELECT pg_notify(${topic}, ${text})`;

/**
 * Longer than anybody waits for the next statement. Where a network forgot the connection, the server would otherwise keep the
 * transaction and its locks until its system notices, usually after two hours.
 */
const endedIfIdle = sql`SET LOCAL idle_in_transaction_session_timeout = '10s'`;

export function createStatements({ pool, nameOf, startLimit, steppedDown, took }: StatementsParts) {
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;

  async function ask(connection: pg.PoolClient, { text, values: given }: Sql): Promise<Written> {
    const name = nameOf(text);
    // The server refuses NUL in text, and refuses by itself what isn't a number.
    const values = given.map((value) =>
      typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value,
    );
    const answer = await connection.query({ name, text, values });
    return { changed: answer.rowCount ?? 0, returned: answer.rows };
  }

  async function connect(limit: Limit): Promise<pg.PoolClient> {
    const connection = await pool.connect().catch((cause: unknown) => {
      throw toDatabaseError(cause, 'unreachable');
    });
    if (!limit.isOver()) return connection;
    // Whoever asked was told that nothing was done.
    connection.release();
    throw new DatabaseError('unreachable');
  }

  async function attempt<T>(
    lost: Lost,
    limit: Limit,
    work: (connection: pg.PoolClient) => Promise<T>,
  ): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const connection = await connect(limit);
      limit.uses(connection);
      let isWhole = true;
      try {
        return await work(connection);
      } catch (cause) {
        isWhole = isFromServer(cause);
        if (hasSteppedDown(cause)) steppedDown?.();
        if (!isWorthRepeating(cause) || tries === MOST_TRIES) throw toDatabaseError(cause, lost);
      } finally {
        isWhole = limit.leaves() && isWhole;
        connection.release(!isWhole);
      }
    }
  }

  async function onConnection<T>(lost: Lost, work: (connection: pg.PoolClient) => Promise<T>): Promise<T> {
    if (isClosed) throw new DatabaseError('closed');
    const limit = startLimit(lost);
    const answer = attempt(lost, limit, work);
    const settled = answer.finally(() => {
      limit.end();
      underWay.delete(settled);
    });
    underWay.add(settled);
    return Promise.race([settled, limit.over]);
  }

  const send = (lost: Lost, statement: Sql): Promise<Written> =>
    onConnection(lost, (connection) => ask(connection, statement));

  function timed<T>(what: 'read' | 'write', work: Promise<T>): Promise<T> {
    const end = took?.startTimer({ what });
    return work.finally(() => end?.());
  }

  /** @param after follows the commit in the same packet, on its own: NOTIFY holds a server-wide lock until its commit */
  const transaction = (statements: readonly Sql[], next?: Next, after: readonly Sql[] = []) =>
    timed(
      'write',
      onConnection('unknown', async (connection) => {
        const ending = [sql`COMMIT`, ...after];
        function sendAll(all: readonly Sql[]) {
          const { stream } = connection.connection;
          // In one packet: the server would answer what comes first before the rest is there.
          stream.cork();
          const asked = all.map((statement) => ask(connection, statement));
          stream.uncork();
          return asked;
        }
        try {
          const begin = [sql`BEGIN`, ...(next === undefined ? [] : [endedIfIdle])];
          const started = sendAll([...begin, ...statements, ...(next === undefined ? ending : [])]);
          const others = next && askNext(next, (await answersOf(started)).slice(begin.length));
          if (next !== undefined && others === undefined) {
            await ask(connection, sql`ROLLBACK`);
            return undefined;
          }
          const all = [...started, ...(others === undefined ? [] : sendAll([...others, ...ending]))];
          // If a statement failed, COMMIT undoes everything.
          const committed = all.length - after.length;
          const followed = Promise.allSettled(all.slice(committed));
          const written = await answersOf(all.slice(0, committed));
          await followed;
          return written.slice(begin.length, -1);
        } catch (cause) {
          // What failed before `next` leaves its transaction open; in other cases ROLLBACK does no harm.
          if (isFromServer(cause)) await ask(connection, sql`ROLLBACK`);
          throw cause;
        }
      }),
    );
  const tables: Pick<Database, 'read' | 'write' | 'writeThen' | 'writeIf' | 'writeAndNotify'> = {
    async read(query, row) {
      try {
        return parseRows((await timed('read', send('unreachable', query))).returned, row);
      } catch (error) {
        throw ofReading(error);
      }
    },
    async write(...statements) {
      const [only, ...others] = statements;
      if (only === undefined) return [];
      if (others.length === 0) return [await timed('write', send('unknown', only))];
      return (await transaction(statements)) ?? [];
    },
    writeThen: transaction,
    writeIf: writeIfWith(transaction),
    writeAndNotify: async (hint, ...statements) =>
      (await transaction(statements, undefined, [notifying(hint)])) ?? [],
  };
  return {
    ...tables,
    /** @param lost what it means if the connection breaks before the answer */
    send,
    /** Refuses everything from now on, and waits for what has started. */
    async finish() {
      isClosed = true;
      await Promise.allSettled(underWay);
    },
  };
}
