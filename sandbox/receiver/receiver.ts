import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readBody } from '../slack/http-exchange.ts';
import { listen, stop } from '../listen.ts';
import { isLoopbackHost, isOwnRequest } from '../service/live/origins.ts';
import { arrivedHtml, receiverPage } from './page.ts';

/** A webhook as it arrived. */
export interface Arrived {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Its `webhook-id`. */
  readonly id: string;
  /** What proves where it's from. */
  readonly headers: ReturnType<typeof signedHeaders>;
  readonly isVerified: boolean;
  readonly body: string;
  /** The status it was answered with. */
  readonly answered: number;
}

/** A program that gets webhooks, as a helpdesk's would, with a page that shows what arrived. */
export interface WebhookReceiver {
  /** Where its page is: `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Where webhooks are sent. */
  readonly address: string;
  /** The latest, newest first. */
  readonly arrived: () => readonly Arrived[];
  /** What signs from now on, besides what did before: `whsec_…`. */
  readonly trust: (secret: string) => void;
  /** What webhooks are answered with from now on. */
  readonly answerWith: (status: number, headers?: Readonly<Record<string, string>>) => void;
  readonly close: () => Promise<void>;
}

const KEPT = 50;
/** As receivers should: what was signed earlier may have been sent by somebody else before. */
const TOLERANCE_MS = 5 * 60_000;
const STATUSES = [200, 500, 410] as const;

const headerOf = ({ headers }: IncomingMessage, name: string) => [headers[name]].flat()[0] ?? '';

const signedHeaders = (request: IncomingMessage) => ({
  'webhook-id': headerOf(request, 'webhook-id'),
  'webhook-timestamp': headerOf(request, 'webhook-timestamp'),
  'webhook-signature': headerOf(request, 'webhook-signature'),
});

/** Whether one of the signatures is by this secret. */
function isSignedBy(secret: string, content: string, signatures: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = Buffer.from(`v1,${createHmac('sha256', key).update(content).digest('base64')}`);
  return signatures
    .split(' ')
    .map((signature) => Buffer.from(signature))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}

/** Starts it on 127.0.0.1. @param port 0 for any free one */
export async function startReceiver({
  port = 0,
  now = Date.now,
}: {
  readonly port?: number;
  readonly now?: () => number;
} = {}): Promise<WebhookReceiver> {
  const files = new Map([
    ['/assets/base.css', await fileAt('../service/page/base.css', 'text/css')],
    ['/assets/receiver.css', await fileAt('./page/receiver.css', 'text/css')],
    ['/assets/receiver.js', await fileAt('./page/receiver.js', 'text/javascript')],
  ]);
  const arrived: Arrived[] = [];
  const secrets: string[] = [];
  const streams = new Set<ServerResponse>();
  let status: number = STATUSES[0];
  let headers: Readonly<Record<string, string>> = {};

  function isVerified(signed: Arrived['headers'], body: string): boolean {
    const timestamp = signed['webhook-timestamp'];
    if (!(Math.abs(now() - Number(timestamp) * 1_000) <= TOLERANCE_MS)) return false;
    const content = `${signed['webhook-id']}.${timestamp}.${body}`;
    return secrets.some((secret) => isSignedBy(secret, content, signed['webhook-signature']));
  }

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await readBody(request)) ?? '';
    const signed = signedHeaders(request);
    arrived.unshift({
      at: now(),
      id: signed['webhook-id'],
      headers: signed,
      isVerified: isVerified(signed, body),
      body,
      answered: status,
    });
    arrived.splice(KEPT);
    for (const stream of streams) stream.write('data: arrived\n\n');
    response.writeHead(status, { ...headers, 'content-type': 'text/plain; charset=utf-8' });
    response.end(status === 200 ? 'Thank you.' : 'Not now.');
  }

  /** What was chosen on the page. */
  async function change(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await readBody(request));
    const secret = form.get('secret')?.trim() ?? '';
    if (secret !== '') secrets.push(secret);
    status = STATUSES.find((one) => String(one) === form.get('status')) ?? status;
    response.writeHead(303, { location: '/' }).end();
  }

  function show(pathname: string, response: ServerResponse): void {
    const file = files.get(pathname);
    if (file !== undefined) response.writeHead(200, file.headers).end(file.body);
    else if (pathname === '/arrived') html(response, arrivedHtml(arrived));
    else if (pathname === '/stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.write('retry: 300\n\n');
      streams.add(response);
      response.on('close', () => streams.delete(response));
    } else if (pathname === '/')
      html(response, receiverPage({ arrived, address: `${url}/in`, status, statuses: STATUSES }));
    else response.writeHead(404).end('Not found');
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = URL.parse(request.url ?? '/', 'http://receiver') ?? { pathname: '' };
    const isAllowed =
      request.method === 'POST' ? isOwnRequest(request.headers) : isLoopbackHost(request.headers.host);
    if (!isAllowed) response.writeHead(403).end();
    else if (request.method === 'POST' && pathname.startsWith('/in')) await receive(request, response);
    else if (request.method === 'POST' && pathname === '/') await change(request, response);
    else if (request.method === 'GET') show(pathname, response);
    else response.writeHead(405).end();
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const url = await listen(server, port);
  return {
    url,
    address: `${url}/in`,
    arrived: () => [...arrived],
    trust: (secret) => void secrets.push(secret),
    answerWith(next, more = {}) {
      status = next;
      headers = more;
    },
    close: () => stop(server),
  };
}

async function fileAt(path: string, type: string) {
  const headers = { 'content-type': `${type}; charset=utf-8`, 'x-content-type-options': 'nosniff' };
  return { headers, body: await readFile(new URL(path, import.meta.url)) };
}

function html(response: ServerResponse, body: string): void {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      'img-src data:',
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}
