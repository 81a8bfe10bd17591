import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Route } from '../../src/http/server.ts';

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

export function connected(port: number): {
  readonly socket: Socket;
  readonly received: () => string;
  readonly closed: Promise<void>;
} {
  let text = '';
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  socket.on('data', (part: string) => (text += part)).on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  // Not `once` from node:events, which rejects if the other side closes during a write.
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  return { socket, received: () => text, closed };
}
