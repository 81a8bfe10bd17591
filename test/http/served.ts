import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Route } from '../../src/http/server.ts';
import { createHttpServer } from '../../src/http/server.ts';

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

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/**
 * Writes exactly these bytes, which no HTTP library would allow, and reads until the server closes the connection. Send
 * `Connection: close` if the server would keep it.
 */
export async function sendRaw(port: number, text: string): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  const closed = new Promise((resolve) => {
    socket.once('close', resolve);
  });
  // A server that closes while bytes are on their way resets the connection. What it answered before counts.
  socket.on('error', () => undefined);
  socket.write(text);
  await closed;
  const [head = '', body = ''] = received.split('\r\n\r\n', 2);
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]), head: head.toLowerCase(), body };
}

/** A request without a body whose target is sent as it is. */
export function getRaw(port: number, target: string, method = 'GET'): Promise<RawAnswer> {
  return sendRaw(port, `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
}
