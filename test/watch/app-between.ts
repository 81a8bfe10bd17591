import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { startApp } from '../../src/app.ts';
import { readConfig, type Config } from '../../src/config/config.ts';
import { createLog } from '../../src/logging/log.ts';
import { WatchRequest } from '../../src/messages/link-request.ts';
import { createTickets } from '../../src/http/tickets.ts';
import { startLocalService } from '../cobrowse/local-service.ts';
import { order } from './stage.ts';

/** A Watch address of an app with these settings, without a command before it. */
export function watchAddress(
  appUrl: string,
  { secretKeys }: Config,
  more: Partial<WatchRequest> = {},
): string {
  const tickets = createTickets(secretKeys)('watch', WatchRequest);
  return `${appUrl}/watch/${tickets.issue({ ...order, ...more }, 60_000)}`;
}

export function answerJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

const everyoneIsAlex = {
  ok: true,
  team_id: order.workspaceId,
  members: [order.userId],
  user: {
    id: order.userId,
    team_id: order.workspaceId,
    profile: { real_name: 'Alex Rivera', email: 'alex@acme.com' },
  },
};

const lookupAnswers: RequestListener = (_, response) =>
  answerJson(response, { status: 'ok', agent: { id: 'agent_alex', name: 'Alex Rivera' } });
const linkAnswers: RequestListener = (_, response) =>
  answerJson(response, { status: 'ok', watch_url: 'https://service.example/watch/fresh-link' });

interface Peers {
  /** Answers GET /agents/lookup; by default it knows Alex. */
  readonly lookup?: RequestListener;
  /** Answers POST watch_url; by default with a good link. */
  readonly link?: RequestListener;
}

/** The real app between peers of the test's own, until the test ends. A ticket is proof enough there. */
export async function appBetween({ lookup = lookupAnswers, link = linkAnswers }: Peers) {
  const bodies: unknown[] = [];
  const slack = await startLocalService((_, response) => answerJson(response, everyoneIsAlex));
  const service = await startLocalService((request, response) => {
    if (request.method === 'GET') lookup(request, response);
    else void readThenAnswer(request, response);
  });
  async function readThenAnswer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    bodies.push(JSON.parse(await text(request)));
    link(request, response);
  }
  const config = readConfig({
    SLACK_BOT_TOKEN: 'xoxb-of-these-tests',
    SLACK_SIGNING_SECRET: 'signing-secret-of-these-tests',
    SLACK_API_URL: `${slack.url}/api/`,
    COBROWSE_BASE_URL: service.url,
    COBROWSE_API_KEY: 'api-key-of-these-tests',
    PUBLIC_URL: 'https://cobrowse.example.com',
    PORT: '0',
    STORE_URL: 'memory:',
    WATCH_PROOF: 'ticket',
    SECRET_KEYS: 'a sealing key of these tests that is long',
  });
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const app = await startApp(config, { log: createLog({ level: 'trace', secrets: [], destination }) });
  onTestFinished(async () => {
    // The peers first: a call that hangs there would hold the app.
    await Promise.all([slack.close(), service.close()]);
    await app.stop();
  });
  const url = `http://127.0.0.1:${app.port}`;
  return {
    lines,
    /** The JSON bodies the service was asked for links with. */
    bodies,
    press: (more: Partial<WatchRequest> = {}) =>
      fetch(watchAddress(url, config, more), { redirect: 'manual' }),
  };
}
