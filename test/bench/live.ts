import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { section, table } from './report.ts';

const SESSIONS = 50;
const SECONDS = 10;
/** As the snippet batches the pointer, and a page that changes twice a second. */
const [POINTER_MS, CHANGE_MS] = [100, 500];

const started = z.object({ url: z.string(), siteKey: z.string(), tokens: z.array(z.string()) });
const used = z.object({ cpu: z.object({ user: z.number(), system: z.number() }), rss: z.number() });
const heard = z.looseObject({ t: z.string(), state: z.unknown().optional() });

const element = (id: number, tagName: string, childNodes: readonly object[] = []) => ({
  type: 2,
  id,
  tagName,
  attributes: { class: `row row-${id}` },
  childNodes,
});

/** A page of some 1,500 nodes, 150 KB. */
function page() {
  const rows = Array.from({ length: 500 }, (_, row) =>
    element(100 + row * 3, 'p', [
      { type: 3, id: 101 + row * 3, textContent: `Line ${row} of a page as long as many are` },
      element(102 + row * 3, 'b'),
    ]),
  );
  const html = element(2, 'html', [element(3, 'head'), element(4, 'body', rows)]);
  return [
    { type: 4, timestamp: 1, data: { href: 'http://127.0.0.1:9/', width: 1280, height: 720 } },
    {
      type: 2,
      timestamp: 2,
      data: { node: { type: 0, id: 1, childNodes: [html] }, initialOffset: { left: 0, top: 0 } },
    },
  ];
}

function pointer() {
  const positions = [-50, 0].map((timeOffset) => ({ x: 10, y: 20, id: 100, timeOffset }));
  return { type: 3, timestamp: Date.now(), data: { source: 1, positions } };
}

/** The text says when it was sent: the service passes it on as it is. */
function change() {
  const text = { id: 101, value: `at ${performance.now()}` };
  return {
    type: 3,
    timestamp: Date.now(),
    data: { source: 0, texts: [text], attributes: [], removes: [], adds: [] },
  };
}

async function socket(url: string, headers: Readonly<Record<string, string>>): Promise<WebSocket> {
  const opened = new WebSocket(url.replace('http', 'ws'), { headers });
  await once(opened, 'open');
  return opened;
}

async function begin(
  { url, siteKey, tokens }: z.infer<typeof started>,
  index: number,
  onDelay: (ms: number) => void,
) {
  const headers = { 'x-api-key': 'bench' };
  const body = JSON.stringify({ agent: { id: `agent-${index}`, name: 'Agent' } });
  const answer = await fetch(`${url}/v1.3/visitors/v${index}/watch_url`, { method: 'POST', headers, body });
  const { watch_url: link } = z.object({ watch_url: z.string() }).parse(await answer.json());
  const opened = await fetch(link);
  await opened.text();
  const cookie = opened.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const agent = await socket(`${link}/socket`, { cookie, origin: url });
  agent.send(JSON.stringify({ t: 'hello', stream: null, seen: 0 }));
  agent.on('message', (data: Buffer) => {
    const at = /"value":"at ([\d.]+)"/.exec(data.toString())?.[1];
    if (at !== undefined) onDelay(performance.now() - Number(at));
  });
  const visitor = await socket(`${url}/visit`, { origin: 'http://127.0.0.1:9' });
  const live = new Promise<void>((resolve) => {
    visitor.on('message', (data: Buffer) => {
      const message = heard.parse(JSON.parse(data.toString()));
      const session = /"session":"([^"]+)"/.exec(JSON.stringify(message.state ?? ''))?.[1];
      if (session !== undefined) visitor.send(JSON.stringify({ t: 'answer', session, allow: true }));
      if (message.t === 'snapshot') resolve();
    });
  });
  visitor.send(
    JSON.stringify({
      t: 'hello',
      key: siteKey,
      visitor: tokens[index],
      tab: 't',
      page: 'p',
      url: 'http://127.0.0.1:9/',
    }),
  );
  await live;
  let seq = 1;
  const send = (events: readonly object[]) =>
    visitor.send(JSON.stringify({ t: 'events', seq: seq++, events }));
  send(page());
  return send;
}

/** What a child says next. Rejects if it ends first. */
async function next(child: ChildProcess): Promise<unknown> {
  const gone = new AbortController();
  child.once('exit', () => gone.abort(new Error('The service ended without a word.')));
  const [message] = await once(child, 'message', { signal: gone.signal });
  return message;
}

async function usage(child: ChildProcess): Promise<z.infer<typeof used>> {
  child.send('usage');
  return used.parse(await next(child));
}

/** Fifty visitors whose pages move and change, each seen by an agent: what that costs the stand-in service. */
export async function benchLive(): Promise<string> {
  const child = fork(new URL('processes/live-service.ts', import.meta.url), [String(SESSIONS)]);
  const service = started.parse(await next(child));
  const delays: number[] = [];
  const sends: ((events: readonly object[]) => void)[] = [];
  for (let index = 0; index < SESSIONS; index += 1)
    sends.push(await begin(service, index, (ms) => delays.push(ms)));
  const before = await usage(child);
  const startedAt = performance.now();
  const timers = sends.flatMap((send) => [
    setInterval(() => send([pointer()]), POINTER_MS),
    setInterval(() => send([change()]), CHANGE_MS),
  ]);
  await wait(SECONDS * 1_000);
  for (const timer of timers) clearInterval(timer);
  const tookMs = performance.now() - startedAt;
  const after = await usage(child);
  child.send('stop');
  await once(child, 'exit');
  const cpuMs = (after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system) / 1_000;
  const ordered = delays.toSorted((one, other) => one - other);
  const at = (share: number) => (ordered[Math.floor(ordered.length * share)] ?? Number.NaN).toFixed(1);
  return section(
    'The live view of the sandbox',
    table(
      ['', ''],
      [
        ['sessions at once', `${SESSIONS}`],
        ['changes a second, each session', `${1_000 / POINTER_MS + 1_000 / CHANGE_MS}`],
        ['CPU of the service', `${((cpuMs / tookMs) * 100).toFixed(1)} % of one core`],
        ['memory of the service', `${(after.rss / 1024 / 1024).toFixed(0)} MiB`],
        ['a change from socket to socket, p50 / p99', `${at(0.5)} / ${at(0.99)} ms`],
      ],
    ),
    `For ${SECONDS} seconds.`,
  );
}
