import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ask, movableClock, standIn, watchLink } from './stand-in.ts';

const proxied = z.object({ status: z.literal('ok'), proxy_url: z.url() });

describe('the key of the stand-in service', () => {
  it.each([{}, { 'x-api-key': 'wrong' }, { authorization: 'test-key' }])(
    'refuses %o on every path',
    async (headers) => {
      const { url } = await standIn();
      for (const path of ['/v1.3/usage', '/v1.3/visitors/nobody', '/v1.3/no/such/row']) {
        const response = await fetch(`${url}${path}`, { headers });
        expect(response.status).toBe(401);
        expect(await response.json()).toEqual({ status: 'error', error: 'invalid_api_key' });
      }
    },
  );
});

describe('paths of older versions', () => {
  it.each([
    'usage.json',
    'list.json?search=jane',
    'visitors/jane4821.json?with_history=true',
    'agents/lookup.json?email=alex@acme.com',
  ])('answer with .json at the end: %s', async (path) => {
    const service = await standIn();
    for (const version of ['v1.0', 'v1.1', 'v1.2', 'v1.3']) {
      const response = await fetch(`${service.url}/${version}/${path}`, {
        headers: { 'x-api-key': 'test-key' },
      });
      expect([response.status, await response.json()]).toEqual([
        200,
        expect.objectContaining({ status: 'ok' }),
      ]);
    }
  });

  it.each(['/v1.1/usage', '/v1.4/usage.json', '/v2/usage.json'])(
    'do not answer otherwise: %s',
    async (path) => {
      const { url } = await standIn();
      expect((await fetch(`${url}${path}`, { headers: { 'x-api-key': 'test-key' } })).status).toBe(404);
    },
  );
});

describe('GET /usage', () => {
  it('counts agents, sessions, seconds and visitors', async () => {
    const clock = movableClock();
    const service = await standIn({ now: clock.now });
    await service.openWatchLink((await watchLink(service, 'jane4821')).url);
    clock.moveMinutes(1);
    const response = await ask(service, 'GET /usage');
    expect(await response.json()).toEqual({
      status: 'ok',
      usage: {
        agents: { last_30_days: 3, today: 2 },
        session_counts: { last_30_days: 4, now: 1, today: 2 },
        session_seconds: { last_30_days: 60 + 720 + 360 + 4680, today: 60 + 720 },
        visitors: { last_24_hrs: 10, online_now: 8 },
      },
    });
  });
});

describe('GET /agents/lookup', () => {
  it('lists a session started with an account user’s id under that user', async () => {
    const service = await standIn();
    const link = await watchLink(service, 'jane4821', { agent: { id: 'agent_alex', name: 'Somebody' } });
    const session = await service.openWatchLink(link.url);
    expect(session.agents).toMatchObject([{ email: 'alex@acme.com', _type: 'user', external_id: null }]);
    const response = await ask(service, 'GET /agents/lookup?email=alex@acme.com');
    expect(await response.json()).toMatchObject({
      agent: { sessions: [{ id: session.id, ended_at: null }, {}, {}] },
    });
  });
});

describe('GET /agents/lookup by anything but one email or external_id', () => {
  it.each(['', '?name=Alex', '?email=alex@acme.com&external_id=agent_alex'])(
    'finds nobody: %j',
    async (query) => {
      expect((await ask(await standIn(), `GET /agents/lookup${query}`)).status).toBe(404);
    },
  );
});

async function sessionOf(agentId: string, agents: object) {
  const service = await standIn({ misbehavior: { agents } });
  const { url } = await watchLink(service, 'jane4821', {
    agent: { id: agentId, name: 'X' },
    metadata: { slack_link: 'g1' },
  });
  await service.openWatchLink(url);
  return service;
}

describe('GET /agents/lookup where the document leaves it open', () => {
  it('leaves out what the links were requested with, if told to', async () => {
    for (const withoutMetadata of [false, true]) {
      const service = await sessionOf('slack-U1', { withoutMetadata });
      const text = await (await ask(service, 'GET /agents/lookup?external_id=slack-U1')).text();
      expect(text.includes('"slack_link":"g1"')).toBe(!withoutMetadata);
    }
  });

  it.each([
    ['email', 'external_id=slack-U1', 404],
    ['email', 'email=alex@acme.com', 200],
    ['external_id', 'email=alex@acme.com', 404],
    ['external_id', 'external_id=slack-U1', 200],
    ['external_id', 'external_id=agent_alex', 200],
  ])('finds by %s alone, if told to: %s is %i', async (findBy, query, status) => {
    const service = await sessionOf('slack-U1', { findBy });
    expect((await ask(service, `GET /agents/lookup?${query}`)).status).toBe(status);
  });
});

describe('POST /proxy_sessions', () => {
  it('gives links that work once, for a while', async () => {
    const clock = movableClock();
    const service = await standIn({ proxyEnabled: true, now: clock.now });
    const give = async () => proxied.parse(await (await ask(service, 'POST /proxy_sessions', {})).json());
    const [once, late] = [await give(), await give()];
    expect((await fetch(once.proxy_url)).status).toBe(200);
    expect((await fetch(once.proxy_url)).status).toBe(410);
    clock.moveMinutes(5);
    expect((await fetch(late.proxy_url)).status).toBe(410);
    expect((await fetch(`${service.url}/proxy/nonsense`)).status).toBe(404);
  });
});
