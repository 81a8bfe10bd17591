import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface LocalService {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Method and path of every request, in order. */
  readonly requests: readonly string[];
  /** How many connections were made. */
  connections(): number;
  close(): Promise<void>;
}

/** A real server on loopback, for what depends on connections and time. */
export async function startLocalService(answer: RequestListener): Promise<LocalService> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    connections: () => sockets.size,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export function answerJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
