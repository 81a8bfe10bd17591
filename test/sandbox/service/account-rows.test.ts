import { describe, expect, it } from 'vitest';
import { ask, movableClock, standIn, watchLink } from './stand-in.ts';

it.each([{}, { 'x-api-key': 'wrong' }, { authorization: 'test-key' }])(
  'the key of the stand-in service is asked for on every path: not %o',
  async (headers) => {
    const { url } = await standIn();
    for (const path of ['/v1.3/usage', '/v1.3/visitors/nobody', '/v1.3/no/such/row']) {
      const response = await fetch(`${url}${path}`, { headers });
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({ status: 'error', error: 'invalid_api_key' });
    }
  },
);

it('GET /usage counts agents, sessions, seconds and visitors', async () => {
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

/** A service in which a link for an external agent was opened. */
async function withSession(agents: object = {}) {
  const service = await standIn({ misbehavior: { agents } });
  await service.openWatchLink((await watchLink(service, 'jane4821', { metadata: { slack_link: 'g1' } })).url);
  return service;
}

describe('GET /agents/lookup', () => {
  it.each([false, true])('leaves out what the links were requested with where told so: %s', async (told) => {
    const service = await withSession({ withoutMetadata: told });
    const text = await (await ask(service, 'GET /agents/lookup?external_id=slack-U1')).text();
    expect(text.includes('"slack_link":"g1"')).toBe(!told);
  });

  it.each([
    ['email', 'external_id=slack-U1', 404],
    ['external_id', 'email=alex@acme.com', 404],
    ['external_id', 'external_id=agent_alex', 200],
  ])('finds by %s alone, if told to: %s is %i', async (findBy, query, status) => {
    const service = await withSession({ findBy });
    expect((await ask(service, `GET /agents/lookup?${query}`)).status).toBe(status);
  });
});
