import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { openRealWorld, type WorldOptions } from './real-app.ts';

interface Held {
  readonly path: string;
  readonly goOn: () => void;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** What a gate makes of an answer on its way; it sees the path and the text. */
type Change = (path: string, answer: string) => string;

/** A server before another one, which can hold requests back and change answers. Closed when the test ends. */
export async function openGate(target: string, change: Change = (_, answer) => answer) {
  const held: Held[] = [];
  let waiting: string | undefined;

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/' } = request;
    const body = await bodyOf(request);
    if (waiting !== undefined && path.includes(waiting))
      await new Promise<void>((resolve) => void held.push({ path, goOn: resolve }));
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' && !['host', 'connection', 'content-length'].includes(name)
        ? [[name, value]]
        : [],
    );
    const init = { method, headers, redirect: 'manual', ...(body.length === 0 ? {} : { body }) } as const;
    const answer = await fetch(new URL(path, target), init);
    const text = change(path, await answer.text());
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(text);
  }

  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    held,
    /** From now on requests whose path holds these words wait. */
    hold: (words: string) => void (waiting = words),
    release(): void {
      waiting = undefined;
      for (const { goOn } of held.splice(0)) goOn();
    },
  };
}

/** A world whose app reaches Slack and the service through gates. */
export async function openGatedWorld({ settings, ...options }: WorldOptions = {}) {
  const gates: Awaited<ReturnType<typeof openGate>>[] = [];
  const world = await openRealWorld({
    ...options,
    async settings(standIns) {
      const [slack, service] = [await openGate(standIns.slack.url), await openGate(standIns.service.url)];
      gates.push(slack, service);
      const through = { SLACK_API_URL: `${slack.url}/api/`, COBROWSE_BASE_URL: service.url };
      return { ...through, ...(await settings?.(standIns)) };
    },
  });
  const [slackGate, serviceGate] = gates;
  if (slackGate === undefined || serviceGate === undefined) throw new Error('The gates are not open.');
  return { world, slackGate, serviceGate };
}
