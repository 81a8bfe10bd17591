import { expect, it } from 'vitest';
import { z } from 'zod';
import type { StandInService } from '../../../sandbox/service/service.ts';
import { agent, ask, standIn } from './stand-in.ts';

const listed = z.object({
  status: z.literal('ok'),
  visitors: z.array(z.looseObject({ short_id: z.string() })),
});

async function list(service: StandInService, query = '') {
  const response = await ask(service, `GET /list${query}`);
  return listed.parse(await response.json()).visitors.map((visitor) => visitor.short_id);
}

it('GET /list gives the latest visitors, online ones first', async () => {
  const service = await standIn({
    seed: [
      { short_id: 'away-long', lastSeenMinutesAgo: 500 },
      { short_id: 'away', lastSeenMinutesAgo: 5 },
      { short_id: 'here', is_online: true, lastSeenMinutesAgo: 9 },
    ],
  });
  expect(await list(service)).toEqual(['here', 'away', 'away-long']);
});

it('GET /visitors/:id shows what is known, and nulls where nothing is', async () => {
  const service = await standIn();
  const shown = async (id: string) => (await ask(service, `GET /visitors/${id}`)).json();
  const sessions = [{ visitor_id: 'jane4821' }];
  expect(await shown('jane4821')).toMatchObject({ visitor: { is_online: true, history: null, sessions } });
  expect(await shown('anon')).toMatchObject({ visitor: { email: null, identities: null } });
});

it.each([
  ['agent.id', { agent: { id: '', name: 'x' } }],
  ['metadata.nested', { metadata: { nested: {} } }],
  ['permissions.allow_click', { permissions: { allow_click: 'yes' } }],
  ['webhook_url', { webhook_url: 'ftp://example.com' }],
])('POST /visitors/:id/watch_url refuses a wrong %s by name', async (field, body) => {
  const response = await ask(await standIn(), 'POST /visitors/jane4821/watch_url', { agent, ...body });
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({ status: 'error', error: `invalid_parameter: ${field}` });
});

it('DELETE /visitors deletes all who are offline, but keeps whoever comes online before their turn', async () => {
  const seed = [1, 2, 3, 4].map((ago) => ({ short_id: `no. ${ago}`, lastSeenMinutesAgo: ago }));
  const service = await standIn({ bulkDeleteStepMs: 100, seed });
  service.setOnline('no. 1', true);
  await ask(service, 'DELETE /visitors?all=true');
  service.setOnline('no. 3', true);
  await expect.poll(() => list(service)).not.toContain('no. 2');
  expect(await list(service)).toContain('no. 4');
  await expect.poll(() => list(service, '?search=-online')).toEqual([]);
  expect((await list(service)).toSorted()).toEqual(['no. 1', 'no. 3']);
});
