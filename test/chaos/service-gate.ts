import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';

/** What stands between the app and the stand-in service. */
export interface ServiceGate {
  readonly url: string;
  close(): Promise<void>;
}

/** Told of each watch link before the app gets it; the app waits for the answer. */
type OnLink = (visitorId: string, link: string) => Promise<void>;

const LINK_REQUEST = /\/visitors\/([^/]+)\/watch_url/u;
const LinkReply = z.object({ watch_url: z.string() });
const PASSED_ON = ['content-type', 'x-api-key', 'authorization'];

/** Hands every request on to the service at `target`, and shows watch links to the test on their way back. */
export async function openServiceGate(target: string, onLink: OnLink): Promise<ServiceGate> {
  async function handOn(method: string, path: string, request: { headers: Headers; body: Buffer }) {
    const response = await fetch(`${target}${path}`, {
      method,
      headers: request.headers,
      ...(request.body.length === 0 ? {} : { body: new Uint8Array(request.body) }),
    });
    const text = await response.text();
    const [, visitorId] = LINK_REQUEST.exec(path) ?? [];
    if (visitorId !== undefined && response.ok) {
      const reply = LinkReply.safeParse(JSON.parse(text));
      if (reply.success) await onLink(visitorId, reply.data.watch_url);
    }
    return { status: response.status, type: response.headers.get('content-type') ?? 'text/plain', text };
  }

  const server = createServer((request, response) => {
    void (async () => {
      try {
        const headers = new Headers();
        for (const name of PASSED_ON) {
          const value = request.headers[name];
          if (typeof value === 'string') headers.set(name, value);
        }
        const body = await buffer(request);
        const answer = await handOn(request.method ?? 'GET', request.url ?? '/', { headers, body });
        response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.text);
      } catch {
        // The service hung up, or the app went away: so does the gate.
        response.destroy();
      }
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
