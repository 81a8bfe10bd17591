import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import { WebSocketServer, type WebSocket } from 'ws';
import { z } from 'zod';

import { afterTime } from '../time-limit.ts';
import type { Acknowledgement, Deliver, Retry } from './dispatch.ts';
import { parseJson } from './http-exchange.ts';

/** Socket Mode: the app opens a websocket, and Slack sends through it instead of over HTTP. */
export interface SocketMode {
  /** The path with its ticket that apps.connections.open answers; valid for one connection. */
  issuePath(): string;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  connected(): boolean;
  deliver: Deliver;
  close(): void;
}

const maxConnections = 10;
const pingEveryMs = 10_000;
const failed: Acknowledgement = { acknowledged: false, reason: 'dispatch_failed' };
const acknowledgementSchema = z.object({ envelope_id: z.string(), payload: z.unknown().optional() });

export const createSocketMode = (options: {
  readonly appId: string;
  readonly ackLimitMs: number;
  readonly randomId: () => string;
}): SocketMode => {
  const server = new WebSocketServer({ noServer: true, maxPayload: 1024 * 1024 });
  const tickets = new Set<string>();
  const clients: WebSocket[] = [];
  const envelopes = createEnvelopes(options);
  const pings = setInterval(() => {
    for (const client of clients) client.ping();
  }, pingEveryMs).unref();

  const welcome = (client: WebSocket): void => {
    clients.push(client);
    client.on('message', (data) => {
      if (Buffer.isBuffer(data)) envelopes.settle(parseJson(data.toString('utf8')));
    });
    client.on('error', () => client.terminate());
    client.on('close', () => {
      if (clients.includes(client)) clients.splice(clients.indexOf(client), 1);
      envelopes.abandon(client);
    });
    const connection_info = { app_id: options.appId };
    client.send(JSON.stringify({ type: 'hello', num_connections: clients.length, connection_info }));
  };

  return {
    issuePath() {
      const ticket = options.randomId();
      tickets.add(ticket);
      return `/link/?ticket=${ticket}&app_id=${options.appId}`;
    },
    upgrade(request, socket, head) {
      const ticket = URL.parse(request.url ?? '', 'http://slack')?.searchParams.get('ticket') ?? '';
      if (!tickets.delete(ticket) || clients.length >= maxConnections) socket.destroy();
      else server.handleUpgrade(request, socket, head, welcome);
    },
    connected: () => clients.length > 0,
    async deliver(kind, payload, retry) {
      // Slack spreads payloads over the connections: the first in the queue gets one and goes to the end.
      const client = clients.shift();
      if (client === undefined) return failed;
      clients.push(client);
      return envelopes.send(client, { type: kind, payload, ...envelopeRest(kind, retry) });
    },
    close() {
      clearInterval(pings);
      for (const client of clients) client.terminate();
      server.close();
    },
  };
};

/** What is on its way to the app, until it's acknowledged, timed out, or its connection is gone. */
const createEnvelopes = (options: { readonly ackLimitMs: number; readonly randomId: () => string }) => {
  const waiting = new Map<string, Waiting>();
  return {
    async send(client: WebSocket, envelope: object): Promise<Acknowledgement> {
      const envelope_id = options.randomId();
      const { promise, resolve } = Promise.withResolvers<Acknowledgement>();
      waiting.set(envelope_id, { client, settle: resolve });
      const cancel = afterTime(options.ackLimitMs, () =>
        resolve({ acknowledged: false, reason: 'operation_timeout' }),
      );
      client.send(JSON.stringify({ envelope_id, ...envelope }));
      const acknowledgement = await promise;
      cancel();
      waiting.delete(envelope_id);
      return acknowledgement;
    },
    settle(message: unknown): void {
      const ack = acknowledgementSchema.safeParse(message);
      if (!ack.success) return;
      waiting.get(ack.data.envelope_id)?.settle({ acknowledged: true, body: ack.data.payload });
    },
    abandon(client: WebSocket): void {
      for (const envelope of waiting.values()) if (envelope.client === client) envelope.settle(failed);
    },
  };
};

/** An event's acknowledgement has no body, and its envelope says which attempt it is. */
const envelopeRest = (kind: string, retry: Retry | undefined): object =>
  kind === 'events_api'
    ? {
        accepts_response_payload: false,
        retry_attempt: retry?.number ?? 0,
        retry_reason: retry?.reason ?? '',
      }
    : { accepts_response_payload: true };

interface Waiting {
  readonly client: WebSocket;
  settle(acknowledgement: Acknowledgement): void;
}
