import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Histogram } from 'prom-client';
import { BodyError, createByteBudget, readBody } from './body.ts';

// Importing node:http reads all its exports, and one of them loads Node's fetch: a twentieth of the start, for nothing.
const { createServer } = process.getBuiltinModule('node:http');

export interface Request {
  /** HEAD goes to the GET route; its body isn't sent. */
  readonly method: string;
  /** The part of the path that `:name` matched, decoded; empty if the route has none. */
  readonly parameter: string;
  /** What follows the question mark, not decoded; empty if there is none. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** Ask before awaiting anything. Rejects with a BodyError over `limitBytes`, or if the sender breaks off. */
  readonly body: (limitBytes: number) => Promise<Buffer>;
  /** Called once the connection is closed, or now if it is. If that's before the answer, the client no longer waits. */
  readonly onGone: (listener: () => void) => void;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A route as data. `path` is fixed text, or ends in one `/:name` that matches one part of the path. */
export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  handle(request: Request): Promise<Reply> | Reply;
}

/** Times are milliseconds, under the names of node:http. */
const LIMITS = {
  /** A request, including a slow body, must have arrived within this time; after a stop, it must be answered within it. */
  requestTimeout: 15_000,
  headersTimeout: 10_000,
  /** Longer than a load balancer's idle time, so that the other side closes first. */
  keepAliveTimeout: 75_000,
  /** Without any traffic, except between requests: for clients that don't read their answer. Our slowest takes far less. */
  timeout: 120_000,
  connectionsCheckingInterval: 5_000,
  /** At the same time; one more is closed immediately. Four times the largest burst we measure. */
  maxConnections: 4_096,
  /** For all incoming bodies: twice a thousand presses of 31 KB. Without it, slow unsigned ones of 1 MiB fill the memory. */
  bodyBytes: 64 * 1_024 * 1_024,
  /** How long the rest of a refused body is awaited: what nobody has read when a connection closes takes the answer with it. */
  linger: 1_000,
};

type Limits = Readonly<typeof LIMITS>;

/** With Node's 511 a burst of a thousand clicks loses some, which clients retry only after a second. Linux's limit is 4,096. */
const BACKLOG = 4_096;

/** Pages have their own policy; nothing else we serve should be rendered as a page, or as part of one. */
const SAFE_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

function parameterOf(route: Route, path: string): string | undefined {
  const colon = route.path.indexOf(':');
  if (colon === -1) return path === route.path ? '' : undefined;
  const prefix = route.path.slice(0, colon);
  if (!path.startsWith(prefix) || path.length === prefix.length) return undefined;
  const rest = path.slice(prefix.length);
  if (rest.includes('/')) return undefined;
  try {
    return decodeURIComponent(rest);
  } catch {
    return undefined;
  }
}

export const plain = (status: number, body: string, headers: Reply['headers'] = {}): Reply => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  body: `${body}\n`,
});

function findRoute(routes: readonly Route[], method: string, path: string) {
  const there = routes.flatMap((route) => {
    const parameter = parameterOf(route, path);
    return parameter === undefined ? [] : [{ route, parameter }];
  });
  const found = there.find(({ route }) => route.method === (method === 'HEAD' ? 'GET' : method));
  if (found !== undefined) return found;
  if (there.length === 0) return plain(404, 'Not found.');
  const allow = there.map(({ route }) => (route.method === 'GET' ? 'GET, HEAD' : route.method)).join(', ');
  return plain(405, `Use ${allow}.`, { allow });
}

function send(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  const body = reply.body ?? '';
  response.writeHead(reply.status, {
    ...SAFE_HEADERS,
    ...reply.headers,
    'content-length': Buffer.byteLength(body),
    // Otherwise the rest of an unread body would be read as the next request.
    ...(request.complete ? {} : { connection: 'close' }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

const BODY_STATUS = { 'too-large': 413, 'broken-off': 400, 'no-room': 503 } as const;

const bodyFailure = ({ reason, message }: BodyError): Reply =>
  plain(BODY_STATUS[reason], message, reason === 'no-room' ? { 'retry-after': '1' } : {});

type OnFailure = (error: unknown, where: string) => Reply;
type Answered = Pick<Histogram<'path' | 'status'>, 'startTimer'>;

function createAnswer(
  routes: readonly Route[],
  onFailure: OnFailure,
  answered: Answered | undefined,
  { bodyBytes, linger }: Limits,
) {
  const budget = createByteBudget(bodyBytes);
  return async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    if (request.httpVersion === '1.1' && headers.host === undefined)
      return send(request, response, plain(400, 'The Host header is missing.', { connection: 'close' }));
    const [path = ''] = url.split('?', 1);
    const found = findRoute(routes, method, path);
    if (!('route' in found)) return send(request, response, found);
    const { route, parameter } = found;
    const took = answered?.startTimer({ path: route.path });
    function end(reply: Reply): void {
      took?.({ status: reply.status });
      send(request, response, reply);
    }
    try {
      const reply = await route.handle({
        method,
        parameter,
        query: url.slice(path.length + 1),
        headers,
        body: (limitBytes) => readBody(request, limitBytes, budget),
        onGone: (listener) => void (response.closed ? listener() : response.once('close', listener)),
      });
      end(reply);
    } catch (error) {
      if (response.headersSent || response.destroyed) return;
      if (!(error instanceof BodyError)) return end(onFailure(error, `${route.method} ${route.path}`));
      const sent = () => new Promise((resolve) => void request.once('close', resolve));
      if (!request.complete) await Promise.race([sent(), pause(linger)]);
      end(bodyFailure(error));
    }
  };
}

interface ServerOptions extends Partial<Limits> {
  readonly answered?: Answered;
  /** Aborted when it's about to be closed: then nobody should send another request on the same connection. */
  readonly leaving?: AbortSignal;
}

/** An error in a route answers 500 and never ends the process, which an asynchronous route inside Bolt would. */
export function createHttpServer(
  routes: readonly Route[],
  onFailure: OnFailure,
  { answered, leaving, ...given }: ServerOptions = {},
) {
  const limits = { ...LIMITS, ...given };
  const answer = createAnswer(routes, onFailure, answered, limits);
  const underWay = new Set<ServerResponse>();

  function take(request: IncomingMessage, response: ServerResponse): void {
    // The previous request on this connection isn't answered yet. Only floods do that, and Node would queue thousands of them.
    if (response.socket === null) return void request.socket.destroy();
    if (leaving?.aborted === true || !server.listening) response.shouldKeepAlive = false;
    underWay.add(response);
    response.once('close', () => {
      underWay.delete(response);
      if (!server.listening) endIfIdle();
    });
    void answer(request, response);
    // Drops a body that no route has asked for by now. Node would keep it, outside any budget.
    request.resume();
  }

  // By itself Node would answer requests without a Host, or with an expectation, in any number.
  const server: Server = createServer({ ...limits, requireHostHeader: false }, take);
  server.on('checkExpectation', take);
  server.maxConnections = limits.maxConnections;
  server.timeout = limits.timeout;

  /** Connections that are kept, or haven't had a request yet, would hold up a stop forever. */
  function endIfIdle(): void {
    if (underWay.size === 0) server.closeAllConnections();
  }

  return {
    /** Resolves with the port it listens on. */
    listen: (port: number, host: string): Promise<number> =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, host, backlog: BACKLOG }, () => {
          server.off('error', reject);
          const address = server.address();
          resolve(typeof address === 'object' ? (address?.port ?? 0) : 0);
        });
      }),
    /** Accepts no new requests, waits for those under way, at most for the time limit of a request, then closes. */
    close: (): Promise<void> =>
      new Promise((resolve) => {
        // A closing server no longer checks its time limits.
        const patience = setTimeout(() => server.closeAllConnections(), limits.requestTimeout);
        server.close(() => {
          clearTimeout(patience);
          resolve();
        });
        for (const response of underWay) response.shouldKeepAlive = false;
        endIfIdle();
      }),
  };
}
