import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { z } from 'zod';
import { DatabaseError } from './errors.ts';
import { connectionTo } from './postgres-connection.ts';
import type { Lost } from './postgres-errors.ts';

/** How long whoever asks waits in all: for a connection, and for every answer. */
export const ANSWER_WITHIN_MS = 5_000;
/** Then the server is asked to give up. It still has time to say that it did, so that its connection can be kept. */
const INTERRUPTED_AFTER_MS = 4_000;

/** The time that one request of ours has. */
export interface Limit {
  /** Rejects with a DatabaseError when the time is over. */
  readonly over: Promise<never>;
  isOver(): boolean;
  /** From now on it's the connection that answers. */
  uses(connection: pg.PoolClient): void;
  /** The connection isn't in use any more. @returns whether it's as good as new */
  leaves(): boolean;
  /** All answers are here. */
  end(): void;
}

/** What a connection was given to interrupt it by. Without a pooler `processID` is the server's process. */
export const BackendKey = z.object({ processID: z.number(), secretKey: z.number() });
/** Source: postgresql.org/docs/15/protocol-message-formats.html, CancelRequest. */
const CANCEL_REQUEST = [16, 80_877_102] as const;

/**
 * Asks the server to give up on what a connection asked. Without that, what waits for somebody's lock goes on waiting
 * there for as long as it takes, though nobody wants its answer any more. Nobody answers; what can't be sent isn't needed.
 */
function interrupt(connection: pg.PoolClient): void {
  const key = BackendKey.safeParse(connection).data;
  if (key === undefined) return;
  const { host, port } = connection;
  const socket = host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${port}`) : net.connect(port, host);
  socket.on('error', () => undefined);
  socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy());
  const request = Buffer.alloc(16);
  for (const [index, word] of [...CANCEL_REQUEST, key.processID, key.secretKey].entries())
    request.writeInt32BE(word, index * 4);
  // Whoever is there closes it when that's done: PgBouncer drops the requests of those who leave before.
  socket.write(request);
}

/**
 * Starts the time of a request. It's kept here and not by the server: one that has stopped keeps no time, and connection
 * poolers don't accept a limit at the start of a connection.
 *
 * @param lost what it means if an answer is missing
 * @param onLate called when the server answers nothing at all
 */
export function startLimit(lost: Lost, onLate: () => void): Limit {
  let used: pg.PoolClient | undefined;
  let isOver = false;
  let isInterrupted = false;
  const { promise: over, reject } = Promise.withResolvers<never>();
  const interruption = setTimeout(() => {
    if (used === undefined) return;
    isInterrupted = true;
    interrupt(used);
  }, INTERRUPTED_AFTER_MS);
  const end = setTimeout(() => {
    isOver = true;
    // What waited for a connection has asked nothing yet.
    reject(new DatabaseError(used === undefined ? 'unreachable' : lost));
    used?.connection.stream.destroy();
    onLate();
  }, ANSWER_WITHIN_MS);
  return {
    over,
    isOver: () => isOver,
    uses: (connection) => void (used = connection),
    leaves() {
      used = undefined;
      // The interruption may arrive late, and hit whoever uses the connection next.
      return !isInterrupted;
    },
    end() {
      clearTimeout(interruption);
      clearTimeout(end);
    },
  };
}

/** Whether a fresh connection gets no answer, either. A refusal is an answer: whoever asks then gets it at once. */
async function hearsNothing(url: string): Promise<boolean> {
  const client = new (connectionTo(url))();
  client.on('error', () => undefined);
  const heard = client
    .connect()
    .then(() => client.query('SELECT 1'))
    .then(
      () => false,
      () => false,
    );
  const isLate = await Promise.race([heard, pause(ANSWER_WITHIN_MS, true, { ref: false })]);
  client.connection.stream.destroy();
  return isLate;
}

/** So often in a row, every ten seconds, a server has to say nothing until a start gives it up. */
const MOST_SILENT = 3;

/**
 * As long as it takes while the server answers others: a step that brings the tables up to date takes as long as its table is
 * large, or somebody holds it.
 *
 * @param lost what it means if an answer is missing
 */
export function limitToSilence(url: string, lost: Lost): Limit {
  let used: pg.PoolClient | undefined;
  let isOver = false;
  const ended = new AbortController();
  const { promise: over, reject } = Promise.withResolvers<never>();
  async function watch(): Promise<void> {
    for (let silent = 0; silent < MOST_SILENT; silent = (await hearsNothing(url)) ? silent + 1 : 0)
      await pause(ANSWER_WITHIN_MS, undefined, { ref: false, signal: ended.signal });
    isOver = true;
    reject(new DatabaseError(used === undefined ? 'unreachable' : lost));
    used?.connection.stream.destroy();
  }
  // Called off once all answers are here.
  watch().catch(() => undefined);
  return {
    over,
    isOver: () => isOver,
    uses: (connection) => void (used = connection),
    leaves() {
      used = undefined;
      return true;
    },
    end: () => ended.abort(),
  };
}

/**
 * A server that accepts connections and answers nothing, as one that was stopped or is behind a broken network. Once one
 * request has waited for it in vain, no other one does: a command that reads five times would take five times as long.
 */
export interface Silence {
  /** Rejects with a DatabaseError while it lasts: at once, or half a second after it began. */
  pass(): Promise<void>;
  /** An answer is late. From now on the server is asked in the background, until it says anything. */
  begin(): void;
  close(): void;
}

/** So long it's not known yet whether it's the server that is silent, or only the connections that there were. */
const KNOWN_WITHIN_MS = 500;

/** @param over called when the server answers again */
export function createSilence(url: string, over: () => void): Silence {
  let isOn = false;
  let isAnswered = Promise.resolve(true);
  const closing = new AbortController();

  async function untilItAnswers(): Promise<void> {
    while (!closing.signal.aborted && (await hearsNothing(url)));
    isOn = false;
    if (!closing.signal.aborted) over();
  }

  return {
    async pass() {
      if (isOn && !(await isAnswered)) throw new DatabaseError('unreachable');
    },
    begin() {
      if (isOn) return;
      isOn = true;
      isAnswered = Promise.race([
        untilItAnswers().then(() => true),
        pause(KNOWN_WITHIN_MS, false, { ref: false }),
      ]);
    },
    close: () => closing.abort(),
  };
}
