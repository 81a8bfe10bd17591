import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Reply, type Route, createHttpServer } from '../../src/http/server.ts';

/** Serves the routes on loopback until the test ends. `failures` are what the server reported. */
export async function serve(routes: readonly Route[], limits?: Parameters<typeof createHttpServer>[2]) {
  const failures: { readonly error: unknown; readonly where: string }[] = [];
  const server = createHttpServer(
    routes,
    (error, where) => {
      failures.push({ error, where });
      return { status: 500, body: 'reference 1234' };
    },
    limits,
  );
  const port = await server.listen(0, '127.0.0.1');
  onTestFinished(() => server.close());
  return { server, port, failures, url: `http://127.0.0.1:${port}` };
}

/** A connection over which anything can be sent, until the test ends. */
export function connected(port: number) {
  let text = '';
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  // A server that closes while bytes are on their way resets the connection. What it answered before counts.
  socket.on('data', (part: string) => (text += part)).on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  // Not `once` from node:events, which rejects if the other side closes during a write.
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  return { socket, received: () => text, closed };
}

/**
 * Writes exactly these bytes, which no HTTP library would allow, and reads until the server closes the connection. Send
 * `Connection: close` if the server would keep it.
 */
export async function sendRaw(port: number, text: string) {
  const { socket, received, closed } = connected(port);
  socket.write(text);
  await closed;
  const [head = '', body = ''] = received().split('\r\n\r\n', 2);
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]), head: head.toLowerCase(), body };
}

/** A request without a body whose target is sent as it is. */
export function getRaw(port: number, target: string, method = 'GET') {
  return sendRaw(port, `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
}

/** Milliseconds: a test waits for each of them. */
export const SHORT = {
  requestTimeout: 300,
  headersTimeout: 200,
  keepAliveTimeout: 100,
  connectionsCheckingInterval: 20,
};

/**
 * The same, with time for every request: where the machine stands still between a connection and its first bytes, the
 * limits above end even a request that was sent at once.
 */
export const SHORT_WHEN_IDLE = { ...SHORT, requestTimeout: 60_000, headersTimeout: 60_000 };

/** The routes, and what reached them. */
export function world() {
  const reached: string[] = [];
  const routes: readonly Route[] = [
    {
      method: 'GET',
      path: '/hello',
      handle() {
        reached.push('hello');
        return { status: 200, body: 'hello' };
      },
    },
    { method: 'GET', path: '/watch/:ticket', handle: ({ parameter }) => ({ status: 200, body: parameter }) },
    {
      method: 'POST',
      path: '/body',
      async handle({ body }) {
        const bytes = await body(1_000);
        reached.push(bytes.toString('latin1'));
        return { status: 200, body: `${bytes.length} bytes` };
      },
    },
  ];
  return { routes, reached };
}

/** A route that answers when the test says so, and counts its requests. */
export function heldRoute() {
  const entered = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Reply>();
  let asked = 0;
  const route: Route = {
    method: 'GET',
    path: '/held',
    handle() {
      asked += 1;
      entered.resolve();
      return answer.promise;
    },
  };
  return { route, asked: () => asked, entered: entered.promise, answer: answer.resolve };
}
