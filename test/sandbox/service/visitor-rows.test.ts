import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { StandInService } from '../../../sandbox/service/service.ts';
import { agent, ask, standIn, watchLink } from './stand-in.ts';

const listed = z.object({
  status: z.literal('ok'),
  visitors: z.array(z.looseObject({ short_id: z.string() })),
});

async function list(service: StandInService, query = '') {
  const response = await ask(service, `GET /list${query}`);
  return listed.parse(await response.json()).visitors.map((visitor) => visitor.short_id);
}

describe('GET /list', () => {
  it('gives the latest visitors, online ones first', async () => {
    const service = await standIn({
      seed: [
        { short_id: 'away-long', lastSeenMinutesAgo: 500 },
        { short_id: 'away', lastSeenMinutesAgo: 5 },
        { short_id: 'here', is_online: true, lastSeenMinutesAgo: 9 },
      ],
    });
    expect(await list(service)).toEqual(['here', 'away', 'away-long']);
  });
});

describe('GET /visitors/:id', () => {
  it('shows what is known, and nulls where nothing is', async () => {
    const service = await standIn();
    const shown = async (id: string) => (await ask(service, `GET /visitors/${id}`)).json();
    const sessions = [{ visitor_id: 'jane4821' }];
    expect(await shown('jane4821')).toMatchObject({ visitor: { is_online: true, history: null, sessions } });
    expect(await shown('anon')).toMatchObject({ visitor: { email: null, identities: null } });
  });
});

describe('POST /visitors/:id/watch_url', () => {
  it.each([
    ['an id that is a number', { agent: { id: 42, name: 'Sam Lee' }, viewer: { id: 7, name: 'Vera' } }],
    ['no address for the end', { webhook_url: null }],
    ['nothing under a name of the metadata', { metadata: { ticket: null, paid: true } }],
  ])('accepts %s, as public clients send it', async (_, body) => {
    const service = await standIn();
    const { url } = await watchLink(service, 'jane4821', body);
    const { id, agents } = await service.openWatchLink(url);
    expect(agents.map(({ external_id }) => external_id)).toEqual(['agent' in body ? '42' : agent.id]);
    const shown = await (await ask(service, 'GET /visitors/jane4821')).json();
    const running = { id, ended_at: null, ...('metadata' in body ? body : {}) };
    expect(shown).toMatchObject({
      visitor: { is_in_session: true, sessions: [running, expect.anything()] },
    });
  });

  it.each([
    ['agent.id', { agent: { id: '', name: 'x' } }],
    ['metadata.nested', { metadata: { nested: {} } }],
    ['permissions.allow_click', { permissions: { allow_click: 'yes' } }],
    ['webhook_url', { webhook_url: 'ftp://example.com' }],
  ])('refuses a wrong %s by name', async (field, body) => {
    const response = await ask(await standIn(), 'POST /visitors/jane4821/watch_url', { agent, ...body });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ status: 'error', error: `invalid_parameter: ${field}` });
  });

  it('refuses a body that is no JSON or above 1 MiB', async () => {
    const { url } = await standIn();
    const post = (body: string) =>
      fetch(`${url}/v1.3/visitors/jane4821/watch_url`, {
        method: 'POST',
        headers: { 'x-api-key': 'test-key' },
        body,
      });
    expect((await post('{')).status).toBe(400);
    expect((await post(' '.repeat(1024 * 1024 + 1))).status).toBe(413);
  });
});

describe('DELETE /visitors', () => {
  it('deletes all who are offline one after the other, but keeps whoever comes online before their turn', async () => {
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
});
