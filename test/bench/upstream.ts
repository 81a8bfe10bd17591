import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { createPacedChannels } from './paced-channels.ts';

/*
 * Everything the measured programs call, as cheap as can be: the service, Slack's Web API and the address that answers
 * to commands go to. A visitor `wait-<ms>-...` is served that much later. A message takes as long as Slack's own do, and
 * a channel takes one a second.
 */
const POST_MS = 100;
/** Before a path: how often that was asked for; with a number before it, answered once it was asked for so often. */
const COUNT = '/count';
const WHEN = /^\/when\/(\d+)(\/.*)$/;
/** How many calls there were so far: those of Slack's Web API, and those of the service. */
const CALLS = '/calls';
/** How often each path was asked for, of all of them. */
const ASKED = '/asked';
/** Everybody of `tickets.ts` is in every channel: who is not in it may not watch. */
const members = Array.from({ length: 100 }, (_, person) => `U0BENCH${String(person).padStart(4, '0')}`);
/** A channel of 5,000, in which they come last. */
const LARGE_CHANNEL = 'C0LARGE0001';
const PAGE = 999;
const manyMembers = [...Array.from({ length: 4_900 }, (_, person) => `U0OTHER${person}`), ...members];
const visitorOf = (number: number) => ({
  short_id: `visitor-${number}`,
  name: 'Jane',
  is_online: true,
  is_in_session: number % 2 === 0,
  last_url: 'https://shop.example/checkout',
});
const ANSWERS: readonly (readonly [RegExp, unknown])[] = [
  [
    /^\/api\/users\.info/,
    {
      ok: true,
      user: {
        name: 'ann',
        team_id: 'T0BENCH0001',
        is_admin: true,
        tz: 'Etc/UTC',
        tz_offset: 0,
        profile: { email: 'ann@example.com' },
      },
    },
  ],
  [/^\/api\/chat\.postMessage/, { ok: true, ts: '1700000000.000100' }],
  [/^\/api\/conversations\.members/, { ok: true, members }],
  [/^\/api\/users\.conversations/, { ok: true, channels: [{ id: LARGE_CHANNEL }] }],
  [
    /^\/api\/usergroups\.list/,
    { ok: true, usergroups: [{ id: 'S0LEADS0001', name: 'Leads', handle: 'leads' }] },
  ],
  [/^\/api\/conversations\.info/, { ok: true, channel: { is_ext_shared: false } }],
  [/^\/api\//, { ok: true, user_id: 'U0', bot_id: 'B0', team_id: 'T0BENCH0001' }],
  [/\/agents\/lookup/, { status: 'ok', agent: { id: '17', name: 'Ann' } }],
  [
    /\/watch_url$/,
    { status: 'ok', watch_url: 'https://service.example/watch/0123456789abcdef0123456789abcdef' },
  ],
  [/\/visitors\//, { status: 'ok', visitor: visitorOf(0) }],
  [/\/list/, { status: 'ok', visitors: Array.from({ length: 20 }, (_, number) => visitorOf(number)) }],
  [/\/usage/, { status: 'ok', usage: { session_counts: { last_30_days: 900, now: 3, today: 40 } } }],
  [/\/proxy_sessions/, { status: 'ok', proxy_url: 'https://service.example/proxy/0123456789abcdef' }],
];
const answers = ANSWERS.map(([path, answer]) => [path, JSON.stringify(answer)] as const);

/** The token of one of many workspaces, as `an-install.ts` has it. */
const TOKEN_OF_ONE = / token of (\w+)$/;

/** The token where nobody is an admin: most people aren't. */
const OF_MEMBERS = /members$/;

/** How often each path was asked for. */
const asked = new Map<string, number>();
const calls = { slack: 0, service: 0 };
const channels = createPacedChannels(() => performance.now());

interface Waiter {
  readonly path: string;
  readonly count: number;
  readonly release: () => void;
}
const waiters = new Set<Waiter>();

function countAsked(url: string): void {
  const count = (asked.get(url) ?? 0) + 1;
  asked.set(url, count);
  if (url.startsWith('/api/')) calls.slack += 1;
  else if (url.startsWith('/v1.3/')) calls.service += 1;
  for (const waiter of waiters) {
    if (waiter.path !== url || waiter.count > count) continue;
    waiters.delete(waiter);
    waiter.release();
  }
}

function answerTo(request: IncomingMessage): string {
  const { url = '' } = request;
  if (url.startsWith(COUNT)) return String(asked.get(url.slice(COUNT.length)) ?? 0);
  if (url === CALLS) return JSON.stringify(calls);
  if (url === ASKED) return JSON.stringify(Object.fromEntries(asked));
  if (url === '/posts') return JSON.stringify(channels.report());
  countAsked(url);
  const found = answers.find(([path]) => path.test(url))?.[1] ?? 'ok';
  const { authorization = '' } = request.headers;
  const answer = OF_MEMBERS.test(authorization)
    ? found.replace('"is_admin":true', '"is_admin":false')
    : found;
  const [, workspaceId] = TOKEN_OF_ONE.exec(authorization) ?? [];
  return workspaceId === undefined ? answer : answer.replaceAll('T0BENCH0001', workspaceId);
}

function send(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
}

async function takePost(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const channel = new URLSearchParams(await text(request)).get('channel') ?? '';
  // By when it comes: how late a timer is here says nothing about who posts.
  const isTaken = channels.take(channel);
  await wait(POST_MS);
  if (isTaken) {
    send(response, answerTo(request));
    return;
  }
  response.writeHead(429, { 'retry-after': '1', 'content-type': 'application/json' });
  response.end(JSON.stringify({ ok: false, error: 'ratelimited' }));
}

/** Of the large channel page by page. */
async function listMembers(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const args = new URLSearchParams(await text(request));
  const body = answerTo(request);
  if (args.get('channel') !== LARGE_CHANNEL) {
    send(response, body);
    return;
  }
  const from = Number(args.get('cursor') ?? 0);
  const next = from + PAGE < manyMembers.length ? String(from + PAGE) : '';
  const page = { members: manyMembers.slice(from, from + PAGE), response_metadata: { next_cursor: next } };
  send(response, JSON.stringify({ ok: true, ...page }));
}

function answerWhen(path: string, count: number, response: ServerResponse): void {
  const release = () => send(response, 'ok');
  if ((asked.get(path) ?? 0) >= count) release();
  else waiters.add({ path, count, release });
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const [, count, path] = WHEN.exec(request.url ?? '') ?? [];
  if (path !== undefined) {
    answerWhen(path, Number(count), response);
    return;
  }
  if (request.url?.startsWith('/api/chat.postMessage') === true) {
    void takePost(request, response);
    return;
  }
  if (request.url?.startsWith('/api/conversations.members') === true) {
    void listMembers(request, response);
    return;
  }
  const body = answerTo(request);
  const delayMs = Number(/\/wait-(\d+)-/.exec(request.url ?? '')?.[1] ?? 0);
  request.resume();
  request.on('end', () => {
    if (delayMs === 0) send(response, body);
    else void wait(delayMs).then(() => send(response, body));
  });
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 });
