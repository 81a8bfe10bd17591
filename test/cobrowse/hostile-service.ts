import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { createCloudClient } from '../../src/cobrowse/cloud.ts';
import { defaultWireNames } from '../../src/cobrowse/wire-names.ts';
import { startLocalService } from './local-service.ts';

export const sam = { id: 'sam-1', name: 'Sam' };

/**
 * A client of the service at this address, until the test ends. Its usual time limit is so long that what it makes of a
 * large answer doesn't depend on the machine.
 */
export function connect(baseUrl: string, timeoutMs = 200_000) {
  const client = createCloudClient({
    baseUrl,
    apiKey: 'the-key',
    wireNames: defaultWireNames,
    timeoutMs,
  });
  onTestFinished(() => client.close());
  return client;
}

/** A service of the test's own, until the test ends. */
export async function serve(answer: RequestListener) {
  const service = await startLocalService(answer);
  onTestFinished(() => service.close());
  return service;
}

/** A server that writes these very bytes, whatever it is asked. */
export async function serveBytes(write: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.on('data', () => write(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

/** Every call of the client. */
export const calls = (client: ReturnType<typeof connect>) => [
  client.usage(),
  client.listVisitors({ limit: 5 }),
  client.visitor('v1', { withHistory: true }),
  client.createWatchLink('v1', { agent: sam }),
  client.stopSession('v1'),
  client.deleteVisitor('v1'),
  client.deleteOfflineVisitors(),
  client.lookupAgent({ email: 'a@b.example' }),
  client.createProxyLink(),
  client.authorizeOnPremise('v1', sam),
];
