import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { z } from 'zod';
import { DatabaseError } from './errors.ts';

/** For a connection and every answer together. */
export const ANSWER_WITHIN_MS = 5_000;
/** Then the server is asked to give up, with time left to say that it did, so that its connection can be kept. */
const INTERRUPTED_AFTER_MS = 4_000;
/** So long it isn't known yet whether the server is silent, or only our connections. */
const KNOWN_WITHIN_MS = 500;

/** A change may or may not be made, or nothing was done. */
export type Lost = 'unknown' | 'unreachable';

/** To interrupt a connection by. Without a pooler `processID` is the server's process. */
export const BackendKey = z.object({ processID: z.number(), secretKey: z.number() });
/** Source: postgresql.org/docs/15/protocol-message-formats.html, CancelRequest. */
const CANCEL_REQUEST = [16, 80_877_102] as const;

/** Asks the server to give up: what waits for a lock would wait on, though nobody wants its answer. Failures don't matter. */
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
  // The server closes it when that's done: PgBouncer drops the requests of those who leave before.
  socket.write(request);
}

/**
 * One request's time, kept here: a server that has stopped keeps none, and poolers accept no limit at a connection's start.
 *
 * @param lost what a missing answer means
 */
function createLimit(lost: Lost) {
  let used: pg.PoolClient | undefined;
  let isOver = false;
  let isInterrupted = false;
  const { promise: over, reject } = Promise.withResolvers<never>();
  return {
    /** Rejects with a DatabaseError when the time is over. */
    over,
    isOver: () => isOver,
    uses: (connection: pg.PoolClient) => void (used = connection),
    /** @returns whether the connection is as good as new: an interruption may hit whoever is next */
    leaves(): boolean {
      used = undefined;
      return !isInterrupted;
    },
    interrupt(): void {
      if (used === undefined) return;
      isInterrupted = true;
      interrupt(used);
    },
    giveUp(): void {
      isOver = true;
      // What waited for a connection has asked nothing yet.
      reject(new DatabaseError(used === undefined ? 'unreachable' : lost));
      used?.connection.stream.destroy();
    },
  };
}

export interface Limit extends Omit<ReturnType<typeof createLimit>, 'interrupt' | 'giveUp'> {
  readonly end: () => void;
}

/** @param onLate called when the server answers nothing at all */
export function startLimit(lost: Lost, onLate: () => void): Limit {
  const limit = createLimit(lost);
  const interruption = setTimeout(() => limit.interrupt(), INTERRUPTED_AFTER_MS);
  const late = setTimeout(() => {
    limit.giveUp();
    onLate();
  }, ANSWER_WITHIN_MS);
  return {
    ...limit,
    end() {
      clearTimeout(interruption);
      clearTimeout(late);
    },
  };
}

export type Connecting = () => pg.Client;

/** Whether a fresh connection gets no answer, either. A refusal is an answer. */
async function hearsNothing(connecting: Connecting, withinMs: number): Promise<boolean> {
  const client = connecting();
  client.on('error', () => undefined);
  const heard = client
    .connect()
    .then(() => client.query('SELECT 1'))
    .then(
      () => false,
      () => false,
    );
  const isLate = await Promise.race([heard, pause(withinMs, true, { ref: false })]);
  client.connection.stream.destroy();
  return isLate;
}

/** As long as the server answers others: a step takes as long as its table is large, or somebody holds it. */
export function limitToSilence(connecting: Connecting, lost: Lost): Limit {
  const limit = createLimit(lost);
  const ended = new AbortController();
  async function watch(): Promise<void> {
    do await pause(ANSWER_WITHIN_MS, undefined, { ref: false, signal: ended.signal });
    while (!(await hearsNothing(connecting, ANSWER_WITHIN_MS)));
    limit.giveUp();
  }
  watch().catch(() => undefined);
  return { ...limit, end: () => ended.abort() };
}

/**
 * A server that accepts connections and answers nothing. Once a request has waited in vain, no other does: a command that
 * reads five times would take five times as long.
 *
 * @param over called when the server answers again
 */
export function createSilence(connecting: Connecting, over: () => void) {
  let isSilent: Promise<boolean> | undefined;
  const closing = new AbortController();

  async function untilItAnswers(first: Promise<boolean>): Promise<void> {
    for (let silent = await first; silent && !closing.signal.aborted;)
      silent = await hearsNothing(connecting, ANSWER_WITHIN_MS);
    isSilent = undefined;
    if (!closing.signal.aborted) over();
  }

  return {
    /** Rejects with a DatabaseError while it lasts: at once, or half a second after it began. */
    async pass(): Promise<void> {
      if (await isSilent) throw new DatabaseError('unreachable');
    },
    /** An answer is late: from now on the server is asked in the background, until it says anything. */
    begin(): void {
      if (isSilent !== undefined) return;
      isSilent = hearsNothing(connecting, KNOWN_WITHIN_MS);
      void untilItAnswers(isSilent);
    },
    close: () => closing.abort(),
  };
}
