import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { App } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import { onTestFinished } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { z } from 'zod';
import { createSocketReceiver } from '../../src/slack/socket-receiver.ts';
import { createSlackAgent, createSlackLogger, webClientOptions } from '../../src/workspaces/web-client.ts';
import { keptLog } from '../support/checked-sandbox.ts';

const Acknowledged = z.object({ envelope_id: z.string(), payload: z.unknown().optional() });

/** A connection as Slack sees it. */
export interface Seen {
  readonly socket: WebSocket;
  readonly isOpen: () => boolean;
  /** Asks the app to leave it. */
  disconnect(reason: string): void;
  /**
   * Sends a command. @returns how long its acknowledgement took, milliseconds on the test's clock, which stands still
   * with the machine; rejects if the connection closes first.
   */
  command(id: string): Promise<number>;
}

/** Opens connections, with Slack's side of them; each test says when Slack does what. */
export async function startSocketSlack({ autoPong = true } = {}) {
  const refusals: ((response: ServerResponse) => void)[] = [];
  const acks = new Map<string, number>();
  const seen: Seen[] = [];
  const waiting: ((connection: Seen) => void)[] = [];
  let opens = 0;
  const sockets = new WebSocketServer({ noServer: true, autoPong });
  const server = createServer((_, response) => {
    opens += 1;
    const refuse = refusals.shift();
    if (refuse !== undefined) {
      refuse(response);
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ok: true, url: `${address().replace('http', 'ws')}/link` }));
  });
  const address = () => {
    const at = server.address();
    return `http://127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}`;
  };

  function welcome(socket: WebSocket): void {
    const unacknowledged = new Map<string, () => void>();
    const gone = once(socket, 'close');
    socket.on('message', (data: unknown) => {
      const { envelope_id: id } = Acknowledged.parse(JSON.parse(String(data)));
      acks.set(id, (acks.get(id) ?? 0) + 1);
      // Only the connection it was sent on accepts it.
      unacknowledged.get(id)?.();
    });
    const connection: Seen = {
      socket,
      isOpen: () => socket.readyState === socket.OPEN,
      disconnect: (reason) => socket.send(JSON.stringify({ type: 'disconnect', reason })),
      async command(id) {
        const { promise, resolve } = Promise.withResolvers<void>();
        unacknowledged.set(id, resolve);
        const sentAt = Date.now();
        const payload = { command: '/cobrowse', text: id, team_id: 'T1', user_id: 'U1', channel_id: 'C1' };
        socket.send(JSON.stringify({ envelope_id: id, type: 'slash_commands', payload }));
        const isLost = await Promise.race([promise, gone.then(() => 'lost')]);
        if (isLost === 'lost') throw new Error(`The connection closed before ${id} was acknowledged.`);
        return Date.now() - sentAt;
      },
    };
    socket.send(JSON.stringify({ type: 'hello', num_connections: 1 }));
    seen.push(connection);
    waiting.shift()?.(connection);
  }

  let isRefusing = false;
  server.on('upgrade', (request, socket, head) => {
    if (isRefusing) socket.destroy();
    else sockets.handleUpgrade(request, socket, head, welcome);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const { socket } of seen) socket.terminate();
    server.close();
    server.closeAllConnections();
  });

  return {
    apiUrl: `${address()}/api/`,
    acks,
    opens: () => opens,
    /** The connections that are open. */
    open: () => seen.filter((connection) => connection.isOpen()),
    /** How the next calls of apps.connections.open are answered. */
    refuse: (...how: typeof refusals) => void refusals.push(...how),
    /** Whether websockets are turned away. */
    turnAway: (away: boolean) => void (isRefusing = away),
    /** The next connection that the app opens, once it has had its hello. */
    next: () => new Promise<Seen>((resolve) => void waiting.push(resolve)),
  };
}

/** The product's receiver with one listener, which acknowledges commands. */
export function startReceiver(apiUrl: string, times?: Parameters<typeof createSocketReceiver>[0]['times']) {
  const { log, lines } = keptLog();
  const logger = createSlackLogger(log);
  const slackAgent = createSlackAgent();
  const client = new WebClient('xapp-test', webClientOptions({ apiUrl, slackAgent, log }));
  const receiver = createSocketReceiver({
    client,
    slackAgent,
    log,
    waitAfter: () => 1,
    times,
  });
  const app = new App({ receiver, logger, convoStore: false, authorize: async () => ({ botToken: 'none' }) });
  app.command(/.*/, async ({ ack }) => {
    await ack();
    await ack();
  });
  onTestFinished(async () => void (await app.stop()));
  return { app, lines, disconnectedMs: receiver.disconnectedMs };
}
