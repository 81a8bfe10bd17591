import { setTimeout as wait } from 'node:timers/promises';
import type { App, Receiver } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Dispatcher } from 'undici';
import { ConnectionOpened } from '../workspaces/slack-answers.ts';
import { callFailure } from './call-failure.ts';
import type { Log } from '../logging/log.ts';
import { openConnection, type ConnectionTimes, type SocketConnection } from './socket-connection.ts';

/** Slack pings every few seconds. It closes a connection ten seconds after announcing it, or sooner for a refresh. */
const USUAL_TIMES: ConnectionTimes = { hello: 10_000, ping: 5_000, silence: 20_000, leave: 30_000 };
const LONGEST_WAIT_MS = 30_000;
/** A connection that ends sooner didn't really work. */
const WORKED_MS = 10_000;

/** @returns how long to wait before the next attempt, milliseconds; @param failures in a row, from 1 on */
type WaitAfter = (failures: number) => number;

/** A second, two, four, up to half a minute, each with some randomness: many apps lose Slack at the same moment. */
const usualWait: WaitAfter = (failures) =>
  Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);

interface SocketReceiverParts {
  /** With the app-level token. */
  readonly client: WebClient;
  readonly slackAgent: Dispatcher;
  readonly log: Log;
  /** Milliseconds from any moment on: nobody sets this clock. */
  readonly elapsed?: () => number;
  readonly times?: ConnectionTimes;
  readonly waitAfter?: WaitAfter;
}

/**
 * Socket Mode: Slack's requests come through a connection that the app opens, so it needs no public address. It
 * replaces Bolt's SocketModeReceiver, whose client leaves its connection when Slack asks for another and opens that one
 * five seconds later. Here the new one is open before Slack closes the old, and each request is acknowledged on the one
 * it arrived on. Source: apps.connections.open; docs.slack.dev/apis/events-api/using-socket-mode.
 */
export function createSocketReceiver(
  parts: SocketReceiverParts,
): Receiver & { readonly disconnectedMs: () => number } {
  const { client, slackAgent, log, times = USUAL_TIMES, waitAfter = usualWait } = parts;
  const { elapsed = () => performance.now() } = parts;
  const stopping = new AbortController();
  const open = new Set<SocketConnection>();
  let app: App | undefined;
  /** Undefined while there's a connection. */
  let disconnectedAt: number | undefined = elapsed();

  const rest = (ms: number) => wait(ms, undefined, { signal: stopping.signal });

  async function connectOnce(): Promise<SocketConnection> {
    const { url } = ConnectionOpened.parse(await client.apps.connections.open({}));
    if (url === undefined) throw new Error('Slack gave no address for the connection.');
    stopping.signal.throwIfAborted();
    const connection = openConnection({
      url,
      slackAgent,
      times,
      take: async (request) => app?.processEvent(request),
      report: (words, details) => log.error(details, words),
    });
    open.add(connection);
    const closed = connection.closed.finally(() => open.delete(connection));
    await Promise.race([connection.ready, closed]);
    return connection;
  }

  /**
   * @param mayRefuse whether a refusal from Slack ends it: a wrong token must be reported at the start, but later a
   *   refusal may be temporary
   */
  async function connect(mayRefuse: boolean): Promise<SocketConnection> {
    for (let failures = 1; ; failures += 1) {
      try {
        const connection = await connectOnce();
        disconnectedAt = undefined;
        return connection;
      } catch (error) {
        stopping.signal.throwIfAborted();
        const failure = callFailure(error);
        if (mayRefuse && failure.outcome === 'never') throw error;
        const asked = failure.outcome === 'later' ? (failure.afterMs ?? 0) : LONGEST_WAIT_MS;
        const waitMs = Math.max(asked, waitAfter(failures));
        log.warn({ err: error, failures, waitMs }, "can't connect to Slack, trying again");
        await rest(waitMs);
      }
    }
  }

  /** Always keeps one connection that Slack hasn't asked us to leave: opens the next before leaving the last. */
  async function stayConnected(first: SocketConnection): Promise<void> {
    let connection = first;
    let failures = 0;
    for (;;) {
      const since = elapsed();
      const { isAsked, reason } = await connection.over;
      stopping.signal.throwIfAborted();
      disconnectedAt = elapsed();
      if (isAsked) log.info({ reason }, 'Slack asked for a new connection');
      else log.warn({ reason }, 'lost the connection to Slack');
      failures = disconnectedAt - since < WORKED_MS ? failures + 1 : 0;
      if (failures > 1) await rest(waitAfter(failures - 1));
      // There are enough already; opening another right away would be refused again.
      if (reason === 'too_many_websockets') await rest(LONGEST_WAIT_MS);
      const next = await connect(false);
      connection.leave();
      connection = next;
    }
  }

  return {
    /** How long there has been no connection; 0 while there's one. */
    disconnectedMs: () => (disconnectedAt === undefined ? 0 : elapsed() - disconnectedAt),
    init: (bolt) => void (app = bolt),
    async start() {
      const first = await connect(true);
      // Ends only by being stopped.
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
