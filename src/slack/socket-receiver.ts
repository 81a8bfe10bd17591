import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { App, ReceiverEvent } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import { WebSocket, ping, type Dispatcher } from 'undici';
import { z } from 'zod';
import { jsonText } from '../commands/command.ts';
import type { Log } from '../logging/log.ts';
import { ConnectionOpened } from '../workspaces/web-client.ts';
import { callFailure } from './call-failure.ts';

/** Time limits of a connection, milliseconds. */
const USUAL_TIMES = {
  /** From opening until Slack's hello. */
  hello: 10_000,
  /** How often to ping Slack, which pings every few seconds itself. */
  ping: 5_000,
  /** A connection that is silent for this long is dead. */
  silence: 20_000,
};
const LONGEST_WAIT_MS = 30_000;

/** A second, two, four, up to half a minute, with some randomness: many apps lose Slack at the same moment. */
const usualWait = (failures: number) =>
  Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);

const Envelope = z.object({
  envelope_id: z.string().min(1),
  payload: z.record(z.string(), z.unknown()),
});
/** What Slack sends. Source: docs.slack.dev/apis/events-api/using-socket-mode. */
const Sent = jsonText.pipe(
  z.union([
    Envelope,
    z.object({ type: z.literal('hello') }),
    z.object({ type: z.literal('disconnect'), reason: z.string().default('') }),
  ]),
);

interface SocketReceiverParts {
  /** With the app-level token. */
  readonly client: WebClient;
  readonly slackAgent: Dispatcher;
  readonly log: Log;
  readonly elapsed?: () => number;
  readonly times?: Partial<typeof USUAL_TIMES>;
  /** How long to wait before the next attempt after so many failures in a row, from 1 on; milliseconds. */
  readonly waitAfter?: (failures: number) => number;
}

type Take = (request: ReceiverEvent) => Promise<void>;

function openSocket(url: string, slackAgent: Dispatcher) {
  const below: { stream?: Duplex } = {};
  const dispatcher = slackAgent.compose(
    (dispatch) => (request, handler) =>
      dispatch(request, {
        ...handler,
        onRequestUpgrade(controller, status, headers, stream) {
          below.stream = stream;
          return handler.onRequestUpgrade?.(controller, status, headers, stream);
        },
      }),
  );
  return { socket: new WebSocket(url, { dispatcher }), below };
}

/** Acknowledges a request on the connection it arrived on: no other can. */
async function handle(
  { envelope_id, payload }: z.infer<typeof Envelope>,
  socket: WebSocket,
  take: Take,
  log: Log,
): Promise<void> {
  let isAcknowledged = false;
  async function ack(response?: unknown): Promise<void> {
    if (isAcknowledged) return;
    isAcknowledged = true;
    if (socket.readyState !== WebSocket.OPEN)
      log.error({ envelope_id }, 'a request of Slack’s could not be acknowledged');
    else socket.send(JSON.stringify({ envelope_id, payload: response }));
  }
  try {
    await take({ body: payload, ack });
    // A listener that never acknowledges still ends in an answer.
    await ack();
  } catch (error) {
    log.error({ err: error }, 'a request of Slack’s could not be handled');
  }
}

function openConnection(url: string, { slackAgent, log, times: changed }: SocketReceiverParts, take: Take) {
  const times = { ...USUAL_TIMES, ...changed };
  const { socket, below } = openSocket(url, slackAgent);
  /** A side that is silent wouldn't answer a closing handshake. */
  const terminate = (): void => void (below.stream === undefined ? socket.close() : below.stream.destroy());
  const ready = Promise.withResolvers<void>();
  const over = Promise.withResolvers<{ readonly isAsked: boolean; readonly reason: string }>();
  const closed = Promise.withResolvers<void>();
  const underWay = new Set<Promise<void>>();
  let heardAt = performance.now();
  let isClosing = false;

  const helloLimit = setTimeout(terminate, times.hello).unref();
  const pulse = setInterval(() => {
    if (performance.now() - heardAt > times.silence) terminate();
    else ping(socket);
  }, times.ping).unref();

  // Pings and their answers aren't messages.
  socket.addEventListener('open', () => void below.stream?.on('data', () => (heardAt = performance.now())));
  socket.addEventListener('message', ({ data }) => {
    const { data: sent } = Sent.safeParse(String(data));
    if (sent === undefined) log.error('Slack sent something that this app cannot read, so nothing was done');
    else if ('envelope_id' in sent) {
      if (isClosing) return;
      const work = handle(sent, socket, take, log).finally(() => underWay.delete(work));
      underWay.add(work);
    } else if (sent.type === 'hello') {
      clearTimeout(helloLimit);
      ready.resolve();
    } else over.resolve({ isAsked: true, reason: sent.reason });
  });
  socket.addEventListener('close', ({ code }) => {
    clearInterval(pulse);
    clearTimeout(helloLimit);
    ready.reject(new Error(`The connection to Slack closed before its hello, with ${code}.`));
    over.resolve({ isAsked: false, reason: `closed with ${code}` });
    closed.resolve();
  });
  // Maybe no one awaits it; without this, the rejection would end the process.
  ready.promise.catch(() => undefined);

  return {
    /** Resolves with Slack's hello; rejects if it doesn't come. */
    ready: ready.promise,
    /** Resolves when another should take over: Slack asked for it, and uses this one for a while, or it was lost. */
    over: over.promise,
    closed: closed.promise,
    /** Closes it once all that came is acknowledged. What arrives later is ignored, and Slack sends it again elsewhere. */
    async close(): Promise<void> {
      isClosing = true;
      await Promise.all(underWay);
      socket.close();
      const limit = setTimeout(terminate, times.ping).unref();
      await closed.promise;
      clearTimeout(limit);
    },
  };
}
type Connection = ReturnType<typeof openConnection>;

/** Bolt's own client is without a connection for five seconds when Slack asks for another. Source: apps.connections.open. */
export function createSocketReceiver(parts: SocketReceiverParts) {
  const { client, log, waitAfter = usualWait, elapsed = () => performance.now() } = parts;
  const stopping = new AbortController();
  const open = new Set<Connection>();
  let app: App | undefined;
  let disconnectedAt: number | undefined = elapsed();

  async function connectOnce(): Promise<Connection> {
    const { url } = ConnectionOpened.parse(await client.apps.connections.open({}));
    if (url === undefined) throw new Error('Slack gave no address for the connection.');
    stopping.signal.throwIfAborted();
    const connection = openConnection(url, parts, async (request) => app?.processEvent(request));
    open.add(connection);
    void connection.closed.then(() => open.delete(connection));
    await connection.ready;
    disconnectedAt = undefined;
    return connection;
  }

  /** @param isFirst then a refusal of Slack's ends it: it may be a wrong token; later it may be temporary */
  async function connect(isFirst: boolean): Promise<Connection> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await connectOnce();
      } catch (error) {
        stopping.signal.throwIfAborted();
        const failure = callFailure(error);
        if (isFirst && failure.outcome === 'never') throw error;
        const asked = failure.outcome === 'later' ? (failure.afterMs ?? 0) : LONGEST_WAIT_MS;
        const waitMs = Math.max(asked, waitAfter(failures));
        log.warn({ err: error, failures, waitMs }, "can't connect to Slack, trying again");
        await wait(waitMs, undefined, { signal: stopping.signal });
      }
    }
  }

  /** Opens the next as soon as Slack asks for it: Slack closes the one before when nothing is on its way there any more. */
  async function stayConnected(first: Connection): Promise<void> {
    for (let connection = first; ; connection = await connect(false)) {
      const { isAsked, reason } = await connection.over;
      stopping.signal.throwIfAborted();
      disconnectedAt = elapsed();
      if (isAsked) log.info({ reason }, 'Slack asked for a new connection');
      else log.warn({ reason }, 'lost the connection to Slack');
    }
  }

  return {
    disconnectedMs: () => (disconnectedAt === undefined ? 0 : elapsed() - disconnectedAt),
    init: (bolt: App) => void (app = bolt),
    async start() {
      const first = await connect(true);
      stayConnected(first).catch((error: unknown) => {
        if (!stopping.signal.aborted) log.fatal({ err: error }, 'the connection to Slack is lost for good');
      });
    },
    async stop() {
      stopping.abort();
      await Promise.all([...open].map((connection) => connection.close()));
    },
  };
}
