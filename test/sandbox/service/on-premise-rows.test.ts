import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { StandInService } from '../../../sandbox/service/service.ts';
import { agent, ask, listener, movableClock, standIn, watchLink } from './stand-in.ts';

const restKey = 'test-rest-key';
const onPremise = { restKey };
const authorized = z.object({ authorized: z.literal(true), token: z.string() });
const issued = z.strictObject({ status: z.literal('ok'), watch_url: z.url() });
const refused = z.strictObject({ status: z.literal('error'), error: z.string() });

/** A call of the on-premise API. */
function askThere(service: StandInService, request: string, body?: unknown) {
  const [method = 'GET', path = ''] = request.split(' ');
  return fetch(`${service.onPremise.baseEndpoint}/api${path}`, {
    method,
    headers: { authorization: restKey },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** A license token of the cloud. */
async function license(service: StandInService, visitorId = 'jane4821', agentId: string = agent.id) {
  const body = { visitor_id: visitorId, agent: { id: agentId, name: 'x' } };
  return authorized.parse(await (await ask(service, 'POST /onpremise/token', body)).json()).token;
}

const linkWith = (service: StandInService, licenseToken: string) =>
  askThere(service, 'POST /visitors/jane4821/watch_url', { agent, licenseToken });

async function refusalOf(asked: Promise<Response>) {
  const response = await asked;
  return [response.status, refused.parse(await response.json()).error];
}

describe('the on-premise API of the stand-in service', () => {
  it('is switched off without its key', async () => {
    const asked = askThere(await standIn(), 'GET /visitors/list/latest');
    expect(await refusalOf(asked)).toEqual([401, 'api_not_enabled']);
  });

  it.each([
    ['DELETE /visitors/noah', 404, 'not_found'],
    ['DELETE /visitors/jane4821/session', 404, 'not_found'],
    ['GET /visitors/nobody', 404, 'not_found'],
  ])('refuses %s with %i and %s', async (request, status, error) => {
    const service = await standIn({ onPremise });
    expect(await refusalOf(askThere(service, request))).toEqual([status, error]);
    expect((await askThere(service, 'GET /visitors/noah')).status).toBe(200);
  });
});

describe('POST /visitors/:id/watch_url of an installation', () => {
  it('accepts each license token of the cloud once, in time, and only for its visitor and agent', async () => {
    const clock = movableClock();
    const service = await standIn({ onPremise, now: clock.now });
    const [once, late] = [await license(service), await license(service)];
    const given = await linkWith(service, once);
    expect((await fetch(issued.parse(await given.json()).watch_url)).status).toBe(200);
    for (const token of [
      `${once}x`,
      'nonsense',
      await license(service, 'noah'),
      await license(service, 'jane4821', 'somebody'),
    ])
      expect(await refusalOf(linkWith(service, token))).toEqual([403, 'invalid_license_token']);
    expect(await refusalOf(linkWith(service, once))).toEqual([403, 'used_license_token']);
    clock.moveMinutes(5);
    expect(await refusalOf(linkWith(service, late))).toEqual([403, 'expired_license_token']);
  });

  it('is refused beyond the subscription', async () => {
    const service = await standIn({ sessionLimit: 0, onPremise: { restKey, connected: true } });
    const asked = askThere(service, 'POST /visitors/jane4821/watch_url', { agent });
    expect(await refusalOf(asked)).toEqual([402, 'session_limit_reached']);
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
