import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A call of Slack's Web API. */
export interface Called {
  readonly method: string;
  /** Of its Authorization header. */
  readonly token: string | undefined;
  readonly args: Readonly<Record<string, string>>;
}

export type Answers = Readonly<Record<string, (call: Called) => object | undefined>>;

/** Slack's Web API on loopback: answers as the test says, and `unknown_method` to the rest. Undefined breaks off. */
export async function slackFor(answers: Answers) {
  const calls: Called[] = [];
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const args = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    const [, token = args['token']] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    const call = { method: (request.url ?? '').split('/').at(-1) ?? '', token, args };
    calls.push(call);
    const said = (answers[call.method] ?? (() => ({ ok: false, error: 'unknown_method' })))(call);
    if (said === undefined) return void response.destroy();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ok: true, ...said }));
  }
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    apiUrl: `http://127.0.0.1:${port}/api/`,
    calls,
    /** The methods that were called, in order. */
    called: () => calls.map(({ method }) => method),
  };
}
