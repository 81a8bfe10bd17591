import { once } from 'node:events';
import { createServer, request as send, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

type PassOn = (asked: Asked) => Promise<Answer>;

/** What happens to a request on its way. Usually it is passed on as it is. */
export type Between = (asked: Asked, passOn: PassOn) => Promise<Answer>;

/** An address that stays while what is behind it comes and goes. */
export interface Front {
  readonly url: string;
  close(): Promise<void>;
}

/** Lengths and connections are those of each of the two ways. */
function withoutHops<Headers extends IncomingHttpHeaders>(headers: Headers) {
  const {
    connection: _,
    'content-length': __,
    'transfer-encoding': ___,
    'keep-alive': ____,
    ...rest
  } = headers;
  return rest;
}

function passTo(
  target: string,
  { method, path, headers, body }: Asked,
  signal: AbortSignal,
): Promise<Answer> {
  const { hostname, port } = new URL(target);
  const own = { ...withoutHops(headers), connection: 'close', 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const request = send({ hostname, port, path, method, headers: own, agent: false, signal }, (response) => {
      const { statusCode: status = 502, headers: given } = response;
      buffer(response).then(
        (content) => resolve({ status, headers: withoutHops(given), body: content }),
        reject,
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Hands every request on to one target after the other, whichever there are then, and hangs up where that one does. */
export async function openFront(
  targets: readonly string[],
  between: Between = (asked, passOn) => passOn(asked),
): Promise<Front> {
  let next = 0;
  const server = createServer((request, response) => {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const passOn: PassOn = (asked) => {
      const target = targets[next % targets.length] ?? '';
      next += 1;
      return passTo(target, asked, gone.signal);
    };
    void (async () => {
      try {
        const { method = 'GET', url: path = '/', headers } = request;
        const answer = await between({ method, path, headers, body: await buffer(request) }, passOn);
        const length = { 'content-length': answer.body.length };
        response.writeHead(answer.status, { ...answer.headers, ...length }).end(answer.body);
      } catch {
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
