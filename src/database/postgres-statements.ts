import net from 'node:net';
import type pg from 'pg';
import { z } from 'zod';
import {
  DatabaseError,
  parseRows,
  sql,
  writeIfWith,
  type Database,
  type DatabaseErrorKind,
  type Next,
  type Opening,
  type Sql,
  type Written,
} from './database.ts';

/** For a connection and every answer together. */
export const ANSWER_WITHIN_MS = 5_000;
const INTERRUPTED_WITHIN_MS = 1_000;

/** Without an answer a change may or may not be made, or nothing was done. */
type Lost = 'unknown' | 'unreachable';

/** To interrupt a connection by. Without a pooler `processID` is the server's process. */
export const BackendKey = z.object({ processID: z.number(), secretKey: z.number() });
/** Source: postgresql.org/docs/15/protocol-message-formats.html, CancelRequest. */
const CANCEL_REQUEST = [16, 80_877_102] as const;

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

const Failure = z.object({ code: z.string() });
const codeOf = (cause: unknown): string => Failure.safeParse(cause).data?.code ?? '';

/** Whether the server itself sent the error: no shutdown (57P) or broken connection (08). */
const isFromServer = (cause: unknown): boolean =>
  // Every one has a digit; without that, EPIPE would be one.
  /^(?!08|57P)(?=.*\d)[0-9A-Z]{5}$/.test(codeOf(cause));

/** A server that accepts no changes any more (25006) may have been followed by another one. */
const isStillGood = (cause: unknown): boolean => isFromServer(cause) && codeOf(cause) !== '25006';

/** `cause` is the driver's error. @param lost what it means if it didn't come from the server */
function toDatabaseError(cause: unknown, lost: Lost): DatabaseError {
  if (cause instanceof DatabaseError) return cause;
  const known = kinds.get(codeOf(cause));
  if (known !== undefined) return new DatabaseError(known, cause);
  return new DatabaseError(isFromServer(cause) ? 'failed' : lost, cause);
}

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

/** Ends what a server does for a connection, which would otherwise wait on for a lock, and the connection. */
function interrupt(connection: pg.PoolClient): void {
  const end = () => connection.connection.stream.destroy();
  const key = BackendKey.safeParse(connection).data;
  if (key === undefined) return void end();
  const { host, port } = connection;
  const socket = host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${port}`) : net.connect(port, host);
  socket.on('error', () => undefined);
  // The server closes it when that's done: PgBouncer drops the requests of those who leave before.
  socket.on('close', end);
  socket.setTimeout(INTERRUPTED_WITHIN_MS, () => socket.destroy());
  const request = Buffer.alloc(16);
  for (const [index, word] of [...CANCEL_REQUEST, key.processID, key.secretKey].entries())
    request.writeInt32BE(word, index * 4);
  socket.write(request);
}

interface StatementsParts extends Pick<Opening, 'took'> {
  /** Undefined if a statement isn't to be prepared. */
  readonly nameOf: (text: string) => string | undefined;
  /** For each request; without it, steps take as long as their tables are large, or somebody holds them. */
  readonly patienceMs?: number;
}

/** Where a network forgot the connection, the server would otherwise keep the transaction's locks, usually for two hours. */
const endedIfIdle = sql`SET LOCAL idle_in_transaction_session_timeout = '10s'`;

interface Limit {
  isOver: boolean;
  used?: pg.PoolClient;
}

/** A request's time is kept here: a server that has stopped keeps none, and poolers accept no limit at a connection's start. */
function createConnections(pool: pg.Pool, patienceMs: number | undefined) {
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;

  async function attempts<T>(lost: Lost, work: (connection: pg.PoolClient) => Promise<T>, limit: Limit) {
    for (let tries = 1; ; tries += 1) {
      const connection = await pool.connect().catch((cause: unknown) => {
        throw toDatabaseError(cause, 'unreachable');
      });
      if (limit.isOver) {
        // Whoever asked was told that nothing was done.
        connection.release();
        throw new DatabaseError('unreachable');
      }
      limit.used = connection;
      let isGood = true;
      try {
        return await work(connection);
      } catch (cause) {
        isGood = isStillGood(cause);
        if (!isWorthRepeating(cause) || tries === MOST_TRIES) throw toDatabaseError(cause, lost);
      } finally {
        limit.used = undefined;
        connection.release(limit.isOver || !isGood);
      }
    }
  }

  /** @param lost what it means if there's no answer */
  async function lend<T>(lost: Lost, work: (connection: pg.PoolClient) => Promise<T>): Promise<T> {
    if (isClosed) throw new DatabaseError('closed');
    const limit: Limit = { isOver: false };
    const { promise: late, reject } = Promise.withResolvers<never>();
    function giveUp(): void {
      limit.isOver = true;
      // What waited for a connection has asked nothing yet.
      reject(new DatabaseError(limit.used === undefined ? 'unreachable' : lost));
      if (limit.used !== undefined) interrupt(limit.used);
    }
    const timer = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs);
    const settled = attempts(lost, work, limit).finally(() => {
      clearTimeout(timer);
      underWay.delete(settled);
    });
    underWay.add(settled);
    return Promise.race([settled, late]);
  }

  /** Refuses everything from now on, and waits for what has started. */
  async function finish(): Promise<void> {
    isClosed = true;
    await Promise.allSettled(underWay);
  }

  return { lend, finish };
}

export function createStatements(pool: pg.Pool, { nameOf, took, patienceMs }: StatementsParts) {
  const { lend, finish } = createConnections(pool, patienceMs);

  async function ask(connection: pg.PoolClient, { text, values: given }: Sql): Promise<Written> {
    const name = nameOf(text);
    // The server refuses NUL in text, and refuses by itself what isn't a number.
    const values = given.map((value) =>
      typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value,
    );
    const answer = await connection.query({ name, text, values });
    return { changed: answer.rowCount ?? 0, returned: answer.rows };
  }

  const send = (lost: Lost, statement: Sql): Promise<Written> =>
    lend(lost, (connection) => ask(connection, statement));

  function timed<T>(what: 'read' | 'write', work: Promise<T>): Promise<T> {
    const end = took?.startTimer({ what });
    return work.finally(() => end?.());
  }

  const transaction = (statements: readonly Sql[], next?: Next) =>
    timed(
      'write',
      lend('unknown', async (connection) => {
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
          const started = sendAll([...begin, ...statements, ...(next === undefined ? [sql`COMMIT`] : [])]);
          const others = next && askNext(next, (await answersOf(started)).slice(begin.length));
          if (next !== undefined && others === undefined) {
            await ask(connection, sql`ROLLBACK`);
            return undefined;
          }
          const all = [...started, ...(others === undefined ? [] : sendAll([...others, sql`COMMIT`]))];
          // If a statement failed, COMMIT undoes everything.
          return (await answersOf(all)).slice(begin.length, -1);
        } catch (cause) {
          // What failed before `next` leaves its transaction open; in other cases ROLLBACK does no harm.
          if (isFromServer(cause)) await ask(connection, sql`ROLLBACK`);
          throw cause;
        }
      }),
    );
  const tables: Pick<Database, 'read' | 'write' | 'writeThen' | 'writeIf'> = {
    read: async (query, row) => parseRows((await timed('read', send('unreachable', query))).returned, row),
    async write(...statements) {
      const [only, ...others] = statements;
      if (only === undefined) return [];
      if (others.length === 0) return [await timed('write', send('unknown', only))];
      return (await transaction(statements)) ?? [];
    },
    writeThen: transaction,
    writeIf: writeIfWith(transaction),
  };
  return { ...tables, lend, send, finish };
}
