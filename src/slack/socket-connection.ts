import type { Duplex } from 'node:stream';
import type { ReceiverEvent } from '@slack/bolt';
import { WebSocket, ping, type Dispatcher } from 'undici';
import { z } from 'zod';

/** Time limits of a connection, milliseconds. */
export interface ConnectionTimes {
  /** From opening until Slack's hello. */
  readonly hello: number;
  /** How often to ping Slack. */
  readonly ping: number;
  /** A connection that is silent for this long is dead. */
  readonly silence: number;
  /** How long Slack may keep using a connection that it asked us to leave. */
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
/** All that an acknowledgement needs. */
const Named = z.object({ envelope_id: id });

/** Undefined for anything but JSON. */
function readJson(data: unknown): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined;
  }
}

interface ConnectionParts {
  readonly url: string;
  /** With a limit for the size of what Slack sends. */
  readonly slackAgent: Dispatcher;
  readonly times: ConnectionTimes;
  /** Handles a request; rejects if it couldn't. */
  readonly take: (request: ReceiverEvent) => Promise<void>;
  readonly report: (words: string, details: object) => void;
}

/** Why another connection should take over. */
interface Ending {
  /** Whether Slack asked for it, and still uses this one for a while; otherwise it was lost. */
  readonly isAsked: boolean;
  readonly reason: string;
}

/** One of Slack's websockets. */
export interface SocketConnection {
  /** Resolves with Slack's hello; rejects if it doesn't come. */
  readonly ready: Promise<void>;
  /** Resolves when another connection should take over. */
  readonly over: Promise<Ending>;
  /** Resolves when either side has closed it. */
  readonly closed: Promise<void>;
  /** Lets Slack close it, so that nothing on its way is lost; closes it after a while. */
  leave(): void;
  /**
   * Closes it once everything received is acknowledged. What arrives later is ignored, and Slack sends it again
   * elsewhere. Resolves when it's closed.
   */
  close(): Promise<void>;
}

/** An acknowledgement as Slack accepts it: text has to be an object too. */
const acknowledgement = (response: unknown) => (typeof response === 'string' ? { text: response } : response);

export function openConnection({ url, slackAgent, times, take, report }: ConnectionParts): SocketConnection {
  let stream: Duplex | undefined;
  const dispatcher = slackAgent.compose(
    (dispatch) => (request, handler) =>
      dispatch(request, {
        ...handler,
        onRequestUpgrade(controller, status, headers, upgraded) {
          stream = upgraded;
          return handler.onRequestUpgrade?.(controller, status, headers, upgraded);
        },
      }),
  );
  const socket = new WebSocket(url, { dispatcher });
  /** A side that is silent wouldn't answer a closing handshake. */
  const terminate = (): void => {
    if (stream === undefined) socket.close();
    else stream.destroy();
  };
  const ready = Promise.withResolvers<void>();
  const over = Promise.withResolvers<Ending>();
  const closed = Promise.withResolvers<void>();
  const underWay = new Set<Promise<void>>();
  let heardAt = performance.now();
  let isClosing = false;

  const helloLimit = setTimeout(terminate, times.hello).unref();
  const pulse = setInterval(() => {
    if (performance.now() - heardAt > times.silence) terminate();
    else ping(socket);
  }, times.ping).unref();
  const heard = () => void (heardAt = performance.now());

  /** On the connection it arrived on: no other can acknowledge it. */
  async function handle({ envelope_id, payload, retry_attempt, retry_reason }: z.infer<typeof Envelope>) {
    let isAcknowledged = false;
    const request: ReceiverEvent = {
      body: payload,
      retryNum: retry_attempt,
      retryReason: retry_reason,
      async ack(response) {
        if (isAcknowledged) return;
        isAcknowledged = true;
        const content = acknowledgement(response);
        if (socket.readyState !== WebSocket.OPEN)
          report('a request of Slack’s could not be acknowledged', { envelope_id });
        else socket.send(JSON.stringify({ envelope_id, payload: content }));
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

  // A ping or its answer is no message.
  socket.addEventListener('open', () => void stream?.on('data', heard));
  socket.addEventListener('message', ({ data }) => {
    const json = readJson(data);
    const { data: sent } = Sent.safeParse(json);
    if (sent === undefined) {
      // Acknowledged anyway: sent again, it would be just as unreadable.
      const { data: named } = Named.safeParse(json);
      if (named !== undefined) socket.send(JSON.stringify(named));
      report('Slack sent something that this app cannot read, so nothing was done', { ...named });
    } else if ('envelope_id' in sent) {
      if (isClosing) return;
      const work = handle(sent).finally(() => underWay.delete(work));
      underWay.add(work);
    } else if (sent.type === 'hello') {
      clearTimeout(helloLimit);
      ready.resolve();
    } else over.resolve({ isAsked: true, reason: sent.reason });
  });
  socket.addEventListener('close', ({ code }) => {
    clearTimeout(helloLimit);
    clearInterval(pulse);
    ready.reject(new Error(`The connection to Slack closed before its hello, with ${code}.`));
    over.resolve({ isAsked: false, reason: `closed with ${code}` });
    closed.resolve();
  });
  // Maybe no one awaits it; without this, the rejection would end the process.
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
      isClosing = true;
      await Promise.all(underWay);
      socket.close();
      const limit = setTimeout(terminate, times.ping).unref();
      await closed.promise;
      clearTimeout(limit);
    },
  };
}
