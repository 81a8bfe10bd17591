import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { StandInService } from '../../../sandbox/service/service.ts';
import { agent, ask, listener, movableClock, standIn, watchLink } from './stand-in.ts';

const restKey = 'test-rest-key';
const onPremise = { restKey };
const authorized = z.object({ authorized: z.literal(true), token: z.string() });
const issued = z.strictObject({ status: z.literal('ok'), watch_url: z.url() });

/** A call of the on-premise API. */
function askThere(service: StandInService, request: string, body?: unknown, key = restKey) {
  const [method = 'GET', path = ''] = request.split(' ');
  return fetch(`${service.onPremise.baseEndpoint}/api${path}`, {
    method,
    headers: { authorization: key },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** A licence token of the cloud. */
async function licence(service: StandInService, visitorId = 'jane4821', agentId: string = agent.id) {
  const body = { visitor_id: visitorId, agent: { id: agentId, name: 'x' } };
  return authorized.parse(await (await ask(service, 'POST /onpremise/token', body)).json()).token;
}

async function linkWith(service: StandInService, licenseToken: string, visitorId = 'jane4821') {
  return askThere(service, `POST /visitors/${visitorId}/watch_url`, { agent, licenseToken });
}

describe('the on-premise API of the stand-in service', () => {
  it('is switched off without its key', async () => {
    const response = await askThere(await standIn(), 'GET /visitors/list/latest');
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ status: 'error', error: 'api_not_enabled' });
  });

  it('has visitors that the cloud does not know', async () => {
    const service = await standIn({ onPremise });
    expect((await askThere(service, 'GET /visitors/jane4821')).status).toBe(200);
    expect((await ask(service, 'GET /visitors/jane4821')).status).toBe(404);
    expect((await ask(service, 'DELETE /visitors/jane4821/session')).status).toBe(404);
  });

  it.each([
    ['DELETE /visitors/noah', 404, 'not_found'],
    ['DELETE /visitors/jane4821/session', 404, 'not_found'],
    ['DELETE /visitors?all=true', 404, 'not_found'],
    ['GET /visitors/nobody', 404, 'not_found'],
    ['GET /visitors/list/latest', 501, 'not_supported_by_data_store'],
  ])('refuses %s with %i and %s', async (request, status, error) => {
    const service = await standIn({ onPremise: { restKey, hasMongo: false } });
    const response = await askThere(service, request);
    expect([response.status, await response.json()]).toEqual([status, { status: 'error', error }]);
    expect((await askThere(service, 'GET /visitors/noah')).status).toBe(200);
  });

  it('lists who is online where it has MongoDB', async () => {
    const service = await standIn({ onPremise });
    const latest = await (await askThere(service, 'GET /visitors/list/latest')).text();
    expect(['jane4821', 'noah'].map((id) => latest.includes(`"short_id":"${id}"`))).toEqual([true, false]);
  });
});

describe('POST /visitors/:id/watch_url of an installation', () => {
  it('accepts a licence token from the cloud, and gives a link that opens', async () => {
    const service = await standIn({ onPremise });
    const response = await linkWith(service, await licence(service));
    const { watch_url } = issued.parse(await response.json());
    expect(watch_url).toMatch(/\/cobrowsing\/watch\//u);
    const page = await fetch(watch_url);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Jane Cooper')]);
    expect(service.sessions()[0]).toMatchObject({
      on_premise: true,
      visitor_id: 'jane4821',
      agents: [{ on_premise: true, external_id: agent.id }],
    });
    expect((await fetch(watch_url)).status).toBe(410);
    expect((await fetch(`${watch_url}/end`, { method: 'POST' })).status).toBe(200);
    expect(service.sessions()[0]?.ended_at).not.toBeNull();
  });

  it('accepts each token once, and only for its visitor and agent', async () => {
    const service = await standIn({ onPremise });
    const codes = [];
    const once = await licence(service);
    await linkWith(service, once);
    for (const token of [
      once,
      `${once}x`,
      'nonsense',
      await licence(service, 'noah'),
      await licence(service, 'jane4821', 'somebody'),
    ]) {
      const response = await linkWith(service, token);
      codes.push([response.status, z.object({ error: z.string() }).parse(await response.json()).error]);
    }
    const invalid = [403, 'invalid_license_token'];
    expect(codes).toEqual([[403, 'used_license_token'], invalid, invalid, invalid, invalid]);
  });

  it('accepts no expired token', async () => {
    const clock = movableClock();
    const service = await standIn({ onPremise, now: clock.now });
    const token = await licence(service);
    clock.moveMinutes(5);
    const response = await linkWith(service, token);
    expect(await response.json()).toEqual({ status: 'error', error: 'expired_license_token' });
  });

  it('is refused beyond the subscription', async () => {
    const service = await standIn({ sessionLimit: 0, onPremise: { restKey, connected: true } });
    const response = await askThere(service, 'POST /visitors/jane4821/watch_url', { agent });
    expect([response.status, await response.json()]).toMatchObject([402, { error: 'session_limit_reached' }]);
  });

  it('has neither webhook nor notes', async () => {
    const hook = await listener();
    const service = await standIn({ onPremise: { restKey, connected: true } });
    const body = { agent, webhook_url: hook.url, initial_notes: 'Hello' };
    const response = await askThere(service, 'POST /visitors/jane4821/watch_url', body);
    const { watch_url } = issued.parse(await response.json());
    expect(await (await fetch(watch_url)).text()).not.toContain('Hello');
    await service.endSession(service.sessions()[0]?.id ?? '');
    // A later session of the cloud is told of, and so the earlier one would have been.
    service.addVisitor({ short_id: 'cloudy', is_online: true });
    const link = await watchLink(service, 'cloudy', { webhook_url: hook.url });
    const session = await service.openWatchLink(link.url);
    await service.endSession(session.id);
    await expect.poll(() => service.webhooks()).toMatchObject([{ body: { id: session.id } }]);
  });
});
