import { describe, expect, it } from 'vitest';
import { connect, rejection, serve } from './stage.ts';

/*
 * With many workspaces anybody's service may be one of them: what it sends mustn't hold up the others.
 */

const EMAIL = { email: 'alex@acme.example' };
const visitor = (number: number, bytes: number) =>
  `{"short_id":"v${number}","tags":["${'x'.repeat(bytes)}"]}`;
const many = <One>(count: number, one: (number: number) => One) =>
  Array.from({ length: count }, (_, number) => one(number));
const deep = `${'['.repeat(1_000)}${']'.repeat(1_000)}`;
const wide = `[${many(60_000, () => '{}').join(',')}]`;

/** A client of a service that always answers so, by an account that a workspace connected unless said otherwise. */
async function answered(body: string, keyHolder: 'workspace' | 'operator' = 'workspace') {
  const service = await serve((_request, response) => response.writeHead(200).end(body));
  return connect(service.url, { keyHolder });
}

describe('a list of visitors from a workspace’s own account', () => {
  const sent = `{"visitors":[${many(100, (number) => visitor(number, 20_000)).join(',')}],"status":"ok"}`;

  it('is read up to a mebibyte, and says so; of the operator’s all of it is', async () => {
    const found = await (await answered(sent)).listVisitors({ limit: 100 });
    expect(found.map(({ short_id: id }) => id)).toEqual(many(52, (number) => `v${number}`));
    expect(found.cutAtMiB).toBe(1);
    const all = await (await answered(sent, 'operator')).listVisitors({ limit: 100 });
    expect([all.length, all.cutAtMiB]).toEqual([100, undefined]);
  });

  it('isn’t cut where it holds what was asked for, whatever follows', async () => {
    const found = await (await answered(sent)).listVisitors({ limit: 50 });
    expect([found.length, found.cutAtMiB]).toEqual([50, undefined]);
  });
});

type Client = ReturnType<typeof connect>;
const list = (client: Client) => client.listVisitors({ limit: 5 });
const alone = (client: Client) => client.visitor('v1');
const history = (client: Client) => client.lookupAgent(EMAIL, { sessions: { newest: 3 } });
const longSessions = many(38, (number) => `{"id":"s${number}","notes":"${'x'.repeat(900_000)}"}`).join(',');

describe('what’s too much to read from a workspace’s own account', () => {
  it.each([
    ['a list of one visitor who alone is too large', list, `"visitors":[${visitor(1, 1_100_000)}]`, '1-MiB'],
    ['a list that’s nested deeply', list, `"visitors":[{"short_id":"v1","more":${deep}}]`, '64-levels'],
    ['too much beside a list', list, `"more":${wide},"visitors":[]`, '50000-things'],
    ['a large visitor', alone, `"visitor":${visitor(1, 1_100_000)}`, '1-MiB'],
    ['a visitor with too many things', alone, `"visitor":{"short_id":"v1","more":${wide}}`, '50000-things'],
    ['an agent’s history', history, `"agent":{"id":"a","sessions":[${longSessions}]}`, '32-MiB'],
  ])('%s names its limit', async (_what, ask, body, limit) => {
    const error = await rejection(ask(await answered(`{${body}}`)));
    expect(error).toMatchObject({ kind: 'not-understood', code: `over-${limit}` });
  });
});

/** A client of a service that answers a search only when it's told to, and what it saw. */
async function holding(keyHolder: 'workspace' | 'operator') {
  const held: (() => void)[] = [];
  const arrived = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const service = await serve(({ url = '' }, response) => {
    const answer = () => void response.writeHead(200).end('{"visitors":[],"usage":{}}');
    if (!url.includes('/list')) return answer();
    held.push(answer);
    arrived[held.length - 1]?.resolve();
  });
  const client = connect(service.url, { keyHolder });
  return { client, held, arrived: (count: number) => arrived[count - 1]?.promise };
}

describe('searches of a workspace’s own account', () => {
  it('run two at once, the others in turn, and hold up nothing else', async () => {
    const { client, held, arrived } = await holding('workspace');
    const searches = many(5, (number) => client.listVisitors({ search: `${number}`, limit: 5 }));
    await arrived(2);
    await client.usage();
    expect(held).toHaveLength(2);
    for (const next of [3, 4, 5]) {
      held[next - 3]?.();
      await arrived(next);
    }
    expect(held).toHaveLength(5);
    for (const answer of held.slice(-2)) answer();
    await Promise.all(searches);
  });

  it('of the operator’s account all run at once', async () => {
    const { client, held, arrived } = await holding('operator');
    const searches = many(5, () => list(client));
    await arrived(5);
    for (const answer of held) answer();
    expect(await Promise.all(searches)).toHaveLength(5);
  });
});
