import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BodyError, readBody } from './body.ts';
import { findRoute } from './routes.ts';
import type { Route, Reply } from './routes.ts';

/** A request as a route sees it. */
export interface Request {
  /** HEAD goes to the GET route; its body is not sent. */
  readonly method: string;
  /** The part of the path that `:name` stands for, decoded; empty where the route has none. */
  readonly parameter: string;
  readonly headers: IncomingHttpHeaders;
  /** The whole body; rejects with a BodyError over `limitBytes` or when the sender breaks off. */
  readonly body: (limitBytes: number) => Promise<Buffer>;
}

export interface HttpServer {
  /** Resolves with the port that is listened on. */
  listen(port: number, host: string): Promise<number>;
  /** Takes no new requests, waits for those under way, closes. */
  close(): Promise<void>;
}

const TIME_LIMITS = {
  // A request, slow body included, must be here in this time; ours are small.
  requestTimeout: 15_000,
  headersTimeout: 10_000,
  // Longer than a load balancer's idle time, so that the other side closes first.
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5_000,
} as const;

const SAFE_HEADERS = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' } as const;

function send(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  const body = reply.body ?? '';
  response.writeHead(reply.status, {
    ...SAFE_HEADERS,
    ...reply.headers,
    'content-length': Buffer.byteLength(body),
    // What is left of an unread body would be taken for the next request.
    ...(request.complete ? {} : { connection: 'close' }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function bodyFailure(error: BodyError): Reply {
  const status = error.reason === 'too-large' ? 413 : 400;
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: `${error.message}\n` };
}

/**
 * A small server over node:http: an error in a route answers 500 and never ends the process, which an asynchronous
 * route inside Bolt would.
 *
 * @param onFailure makes the answer for an error nobody expected, after writing it down
 */
export function createHttpServer(
  routes: readonly Route[],
  onFailure: (error: unknown, where: string) => Reply,
): HttpServer {
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const found = findRoute(routes, request.method ?? '', request.url ?? '');
    if ('reply' in found) return send(request, response, found.reply);
    const { route, parameter } = found;
    try {
      const reply = await route.handle({
        method: request.method ?? '',
        parameter,
        headers: request.headers,
        body: (limitBytes) => readBody(request, limitBytes),
      });
      send(request, response, reply);
    } catch (error) {
      if (response.headersSent || response.destroyed) return;
      if (error instanceof BodyError) return send(request, response, bodyFailure(error));
      send(request, response, onFailure(error, `${route.method} ${route.path}`));
    }
  }

  const server = createServer(TIME_LIMITS, (request, response) => void answer(request, response));

  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve(portOf(server.address()));
        });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}
