import type { ReceiverEvent } from '@slack/bolt';
import { WebSocket } from 'ws';
import { z } from 'zod';

/** Slack's largest payloads, modals with full state, are a third of this. */
const MOST_BYTES = 1_048_576;

/** Times of a connection, milliseconds. */
export interface ConnectionTimes {
  /** From the beginning until Slack's hello. */
  readonly hello: number;
  /** How often Slack is pinged. */
  readonly ping: number;
  /** A connection on which nothing at all comes for so long is dead. */
  readonly silence: number;
  /** How long Slack may go on using a connection that it asked to leave. */
  readonly leave: number;
}

const id = z.string().min(1);

/** What Slack sends. Source: docs.slack.dev/apis/events-api/using-socket-mode. */
const Envelope = z.object({
  envelope_id: id,
  payload: z.record(z.string(), z.unknown()),
  retry_attempt: z.number().optional(),
  retry_reason: z.string().optional(),
});
const Sent = z.union([
  Envelope,
  z.object({ type: z.literal('hello') }),
  z.object({ type: z.literal('disconnect'), reason: z.string().default('') }),
]);
type Sent = z.infer<typeof Sent>;

function readSent(data: unknown): Sent | undefined {
  try {
    return Sent.safeParse(JSON.parse(String(data))).data;
  } catch {
    return undefined;
  }
}

interface ConnectionParts {
  readonly url: string;
  readonly times: ConnectionTimes;
  /** Handles a request; rejects where it could not. */
  readonly take: (request: ReceiverEvent) => Promise<void>;
  readonly report: (words: string, details: object) => void;
}

/** One websocket of Slack's. */
export interface SocketConnection {
  /** Resolves with Slack's hello; rejects where it does not come. */
  readonly ready: Promise<void>;
  /** Resolves, with Slack's reason where it gave one, when another connection should take over: asked to, or closed. */
  readonly over: Promise<string>;
  /** Resolves when it is closed, by whomever. */
  readonly closed: Promise<void>;
  /** Lets Slack close it, so that nothing that is still on its way is lost; closes it itself after a while. */
  leave(): void;
  /** Closes it once what came is acknowledged. Resolves when it is closed. */
  close(): Promise<void>;
}

/** An acknowledgement in the form that Slack takes: text is an object, too. */
const acknowledgement = (response: unknown) => (typeof response === 'string' ? { text: response } : response);

export function openConnection({ url, times, take, report }: ConnectionParts): SocketConnection {
  const socket = new WebSocket(url, { handshakeTimeout: times.hello, maxPayload: MOST_BYTES });
  const ready = Promise.withResolvers<void>();
  const over = Promise.withResolvers<string>();
  const closed = Promise.withResolvers<void>();
  const underWay = new Set<Promise<void>>();
  let heardAt = performance.now();

  const helloLimit = setTimeout(() => socket.terminate(), times.hello).unref();
  const pulse = setInterval(() => {
    if (performance.now() - heardAt > times.silence) socket.terminate();
    else if (socket.readyState === WebSocket.OPEN) socket.ping();
  }, times.ping).unref();
  const heard = () => void (heardAt = performance.now());

  /** On the connection that it came by: no other can acknowledge it. */
  async function handle({ envelope_id, payload, retry_attempt, retry_reason }: z.infer<typeof Envelope>) {
    const acknowledged = Promise.withResolvers<void>();
    let isAcknowledged = false;
    const request: ReceiverEvent = {
      body: payload,
      ...(retry_attempt === undefined ? {} : { retryNum: retry_attempt }),
      ...(retry_reason === undefined ? {} : { retryReason: retry_reason }),
      async ack(response) {
        if (isAcknowledged) return;
        isAcknowledged = true;
        const content = acknowledgement(response);
        socket.send(
          JSON.stringify({ envelope_id, ...(content === undefined ? {} : { payload: content }) }),
          (error) => {
            if (error) report('a request of Slack’s could not be acknowledged', { err: error });
            acknowledged.resolve();
          },
        );
        await acknowledged.promise;
      },
    };
    try {
      await take(request);
      // A listener that never acknowledges still ends in an answer.
      await request.ack();
    } catch (error) {
      report('a request of Slack’s could not be handled', { err: error });
    }
  }

  socket.on('message', (data) => {
    heard();
    const sent = readSent(data);
    if (sent === undefined) return;
    if ('envelope_id' in sent) {
      const work = handle(sent).finally(() => underWay.delete(work));
      underWay.add(work);
    } else if (sent.type === 'hello') {
      clearTimeout(helloLimit);
      ready.resolve();
    } else over.resolve(sent.reason);
  });
  socket.on('ping', heard);
  socket.on('pong', heard);
  socket.on('error', (error) => ready.reject(error));
  socket.on('close', (code) => {
    clearTimeout(helloLimit);
    clearInterval(pulse);
    ready.reject(new Error(`Slack closed the connection before its hello, with ${code}.`));
    over.resolve(`closed with ${code}`);
    closed.resolve();
  });
  // Whoever waits for it is told; nobody may.
  ready.promise.catch(() => undefined);

  return {
    ready: ready.promise,
    over: over.promise,
    closed: closed.promise,
    leave() {
      const limit = setTimeout(() => socket.close(), times.leave).unref();
      void closed.promise.then(() => clearTimeout(limit));
    },
    async close() {
      await Promise.all(underWay);
      socket.close();
      const limit = setTimeout(() => socket.terminate(), times.ping).unref();
      await closed.promise;
      clearTimeout(limit);
    },
  };
}
