import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createByteBudget } from './body-memory.ts';
import type { ByteBudget } from './body-memory.ts';
import { BodyError, readBody } from './body.ts';
import { findRoute } from './routes.ts';
import type { Route, Reply } from './routes.ts';

/** A request as a route sees it. */
export interface Request {
  /** HEAD goes to the GET route; its body is not sent. */
  readonly method: string;
  /** The part of the path that `:name` stands for, decoded; empty where the route has none. */
  readonly parameter: string;
  /** What follows the question mark, undecoded; empty where there is none. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** The whole body, if asked for at once; rejects with a BodyError over `limitBytes` or when the sender breaks off. */
  readonly body: (limitBytes: number) => Promise<Buffer>;
  /** Calls once the connection is closed: before the answer, where whoever asked waits no longer. */
  readonly onGone: (listener: () => void) => void;
}

export interface HttpServer {
  /** Resolves with the port that is listened on. */
  listen(port: number, host: string): Promise<number>;
  /** Takes no new requests, waits for those under way, at most for the time limit of a request, closes. */
  close(): Promise<void>;
}

/** Milliseconds, under the names of node:http. */
interface TimeLimits {
  /** A request, slow body included, must be here in this time; after a stop, be answered. */
  readonly requestTimeout: number;
  readonly headersTimeout: number;
  readonly keepAliveTimeout: number;
  /** A connection on which nothing moves ends after this, unless it only waits for its next request. */
  readonly timeout: number;
  /** How often the limits are looked after. */
  readonly connectionsCheckingInterval: number;
}

interface Limits extends TimeLimits {
  /** Connections at the same time; one more is closed at once. */
  readonly maxConnections: number;
  /** What the bodies under way may hold together, bytes. */
  readonly bodyBytes: number;
}

const LIMITS: Limits = {
  requestTimeout: 15_000,
  headersTimeout: 10_000,
  // Longer than a load balancer's idle time, so that the other side closes first.
  keepAliveTimeout: 75_000,
  // For who does not take an answer. The slowest answer, a link for which Slack and the service are asked one after the
  // other, stays far below it.
  timeout: 120_000,
  connectionsCheckingInterval: 5_000,
  // Four times the largest burst that is measured. A connection that says nothing ends after `headersTimeout`.
  maxConnections: 4_096,
  // A thousand presses of 31 KB at once are half of it. Without it, as many bodies of 1 MiB as there are connections,
  // each sent slowly, would fill the memory before a signature is looked at.
  bodyBytes: 64 * 1_024 * 1_024,
};

/**
 * Connections that may wait to be taken in. With Node's 511 a burst of a thousand clicks loses some, and a client tries
 * those again only after a second. The system's own limit (4,096 on Linux) holds above it.
 */
const BACKLOG = 4_096;

/** A page has its own policy; nothing else that is served is to be a page, or part of one. */
const SAFE_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

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

const NO_HOST: Reply = {
  status: 400,
  headers: { 'content-type': 'text/plain; charset=utf-8', connection: 'close' },
  body: 'The Host header is missing.\n',
};

const BODY_STATUS = { 'too-large': 413, 'broken-off': 400, 'no-room': 503 } as const;

function bodyFailure({ reason, message }: BodyError): Reply {
  const again = reason === 'no-room' ? { 'retry-after': '1' } : {};
  const headers = { 'content-type': 'text/plain; charset=utf-8', ...again };
  return { status: BODY_STATUS[reason], headers, body: `${message}\n` };
}

/** Makes the answer for an error nobody expected, after writing it down. */
type OnFailure = (error: unknown, where: string) => Reply;

function createAnswer(routes: readonly Route[], onFailure: OnFailure, budget: ByteBudget) {
  return async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.httpVersion === '1.1' && request.headers.host === undefined)
      return send(request, response, NO_HOST);
    const found = findRoute(routes, request.method ?? '', request.url ?? '');
    if ('reply' in found) return send(request, response, found.reply);
    const { route, parameter, query } = found;
    try {
      const reply = await route.handle({
        method: request.method ?? '',
        parameter,
        query,
        headers: request.headers,
        body: (limitBytes) => readBody(request, limitBytes, budget),
        onGone: (listener) => void response.once('close', listener),
      });
      send(request, response, reply);
    } catch (error) {
      if (response.headersSent || response.destroyed) return;
      if (error instanceof BodyError) return send(request, response, bodyFailure(error));
      send(request, response, onFailure(error, `${route.method} ${route.path}`));
    }
  };
}

type Take = (request: IncomingMessage, response: ServerResponse) => void;

function createLimitedServer({ maxConnections, timeout, ...limits }: Limits, take: Take): Server {
  // Node would answer a request without a Host, or with an expectation, by itself, and as many as come.
  const server = createServer({ ...limits, requireHostHeader: false }, take);
  server.on('checkExpectation', take);
  server.maxConnections = maxConnections;
  server.timeout = timeout;
  return server;
}

/**
 * A small server over node:http: an error in a route answers 500 and never ends the process, which an asynchronous
 * route inside Bolt would.
 */
export function createHttpServer(
  routes: readonly Route[],
  onFailure: OnFailure,
  given: Partial<Limits> = {},
): HttpServer {
  const limits = { ...LIMITS, ...given };
  const answer = createAnswer(routes, onFailure, createByteBudget(limits.bodyBytes));
  const underWay = new Set<ServerResponse>();

  function take(request: IncomingMessage, response: ServerResponse): void {
    // An answer is still under way: only floods ask again before they have it, not browsers, proxies or Slack. Node would
    // keep thousands of requests, with their answers, for as long as the first takes or is not read.
    if (response.socket === null) return void request.socket.destroy();
    underWay.add(response);
    response.once('close', () => {
      underWay.delete(response);
      if (!server.listening) dropTheRest();
    });
    void answer(request, response);
    // A body that no route asked for by now is dropped as it comes. Node would keep it, in no budget.
    request.resume();
  }

  const server = createLimitedServer(limits, take);

  /** What is still connected once nothing is under way only waits, and would hold a stop for ever. */
  function dropTheRest(): void {
    if (underWay.size === 0) server.closeAllConnections();
  }

  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, host, backlog: BACKLOG }, () => {
          server.off('error', reject);
          resolve(portOf(server.address()));
        });
      }),
    close: () =>
      new Promise((resolve) => {
        // A closing server no longer looks after its time limits.
        const patience = setTimeout(() => server.closeAllConnections(), limits.requestTimeout);
        server.close(() => {
          clearTimeout(patience);
          resolve();
        });
        for (const response of underWay) response.shouldKeepAlive = false;
        dropTheRest();
      }),
  };
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}
