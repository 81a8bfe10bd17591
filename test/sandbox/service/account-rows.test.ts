import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agent, ask, movableClock, standIn, watchLink } from './stand-in.ts';

const proxied = z.object({ status: z.literal('ok'), proxy_url: z.url() });

const user = {
  email: 'alex@acme.com',
  name: 'Alex Rivera',
  _type: 'user',
  phone_number: null,
  timezone: null,
};

describe('the key of the stand-in service', () => {
  it('is accepted as X-Api-Key or as a bearer token', async () => {
    const { url } = await standIn();
    const byHeader = await fetch(`${url}/v1.3/usage`, { headers: { 'x-api-key': 'test-key' } });
    const byBearer = await fetch(`${url}/v1.3/usage`, { headers: { authorization: 'Bearer test-key' } });
    expect([byHeader.status, byBearer.status]).toEqual([200, 200]);
  });

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

  it('of v1.2 and v1.3 also answer without it', async () => {
    const { url } = await standIn();
    for (const version of ['v1.2', 'v1.3']) {
      const response = await fetch(`${url}/${version}/usage`, { headers: { 'x-api-key': 'test-key' } });
      expect(response.status).toBe(200);
    }
  });

  it('also accept changes', async () => {
    const service = await standIn();
    expect((await ask(service, 'POST /visitors/jane4821/watch_url.json', { agent })).status).toBe(200);
    expect((await ask(service, 'DELETE /visitors/noah.json')).status).toBe(200);
    expect((await ask(service, 'DELETE /visitors.json?all=true')).status).toBe(200);
  });

  it.each(['/v1.1/usage', '/v1.4/usage.json', '/v2/usage.json'])(
    'do not answer otherwise: %s',
    async (path) => {
      const { url } = await standIn();
      expect((await fetch(`${url}${path}`, { headers: { 'x-api-key': 'test-key' } })).status).toBe(404);
    },
  );

  it('require the key', async () => {
    const { url } = await standIn();
    expect((await fetch(`${url}/v1.1/usage.json`)).status).toBe(401);
  });
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
  it('finds an account user by email, with the sessions', async () => {
    const response = await ask(await standIn(), 'GET /agents/lookup?email=Alex%40acme.com');
    expect(await response.json()).toMatchObject({
      status: 'ok',
      agent: { ...user, sessions: [{ visitor_id: 'jane4821', _type: 'session' }, { visitor_id: 'amara7' }] },
    });
  });

  it('finds an external agent by the id of the watch link once its session started', async () => {
    const service = await standIn();
    const link = await watchLink(service, 'jane4821');
    const path = `GET /agents/lookup?external_id=${agent.id}`;
    expect((await ask(service, path)).status).toBe(404);
    const session = await service.openWatchLink(link.url);
    const body = await (await ask(service, path)).json();
    expect(body).toMatchObject({
      agent: {
        name: 'Sam Lee',
        external_id: agent.id,
        _type: 'external_agent',
        sessions: [{ id: session.id }],
      },
    });
    expect(body).not.toHaveProperty('agent.email');
  });

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

  it.each([
    '',
    '?email=nobody@acme.com',
    '?id=agent_alex',
    '?email=alex@acme.com&external_id=x',
    '?external_id=agent_alex',
  ])('finds nothing with "%s"', async (query) => {
    const response = await ask(await standIn(), `GET /agents/lookup${query}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ status: 'error', error: 'not_found' });
  });
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
  it('answers 402 unless the account has the proxy', async () => {
    expect((await ask(await standIn(), 'POST /proxy_sessions', {})).status).toBe(402);
  });

  it('gives a link that opens', async () => {
    const service = await standIn({ proxyEnabled: true, randomId: () => 'p1' });
    const response = await ask(service, 'POST /proxy_sessions', { initial_url: 'https://acme.example/' });
    expect(await response.json()).toEqual({ status: 'ok', proxy_url: `${service.url}/proxy/p1` });
    const page = await fetch(`${service.url}/proxy/p1`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('https://acme.example/')]);
  });

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

  it('refuses fields of the wrong shape', async () => {
    const response = await ask(await standIn({ proxyEnabled: true }), 'POST /proxy_sessions', {
      allowed_domains: 'all',
    });
    expect(response.status).toBe(400);
  });
});

describe('POST /onpremise/token', () => {
  it('authorizes with a signed token', async () => {
    const response = await ask(await standIn(), 'POST /onpremise/token', { visitor_id: 'v', agent });
    const token: unknown = expect.stringMatching(/^[\w-]+\.[\w-]{43}$/u);
    expect(await response.json()).toEqual({ status: 'ok', authorized: true, token });
  });

  it('answers 402 at the limit and 400 without an agent', async () => {
    const service = await standIn({ sessionLimit: 0 });
    expect((await ask(service, 'POST /onpremise/token', { visitor_id: 'v', agent })).status).toBe(402);
    expect((await ask(service, 'POST /onpremise/token', { visitor_id: 'v' })).status).toBe(400);
  });
});
