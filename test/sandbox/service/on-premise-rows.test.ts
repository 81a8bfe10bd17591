import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { StandInService } from '../../../sandbox/service/service.ts';
import { agent, ask, listener, movableClock, standIn } from './stand-in.ts';

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

  it.each(['DELETE /visitors/noah', 'DELETE /visitors/jane4821/session', 'DELETE /visitors?all=true'])(
    'has no %s',
    async (request) => {
      const service = await standIn({ onPremise });
      expect((await askThere(service, request)).status).toBe(404);
      expect((await askThere(service, 'GET /visitors/noah')).status).toBe(200);
    },
  );
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

  it('has no webhook', async () => {
    const hook = await listener();
    const service = await standIn({ onPremise: { restKey, connected: true } });
    const body = { agent, webhook_url: hook.url, initial_notes: 'Hello' };
    const response = await askThere(service, 'POST /visitors/jane4821/watch_url', body);
    const { watch_url } = issued.parse(await response.json());
    expect(await (await fetch(watch_url)).text()).not.toContain('Hello');
    await service.endSession(service.sessions()[0]?.id ?? '');
    // A later session of the cloud is told of, and so the earlier one would have been.
    service.addVisitor({ short_id: 'cloudy', is_online: true });
    const link = issued
      .loose()
      .parse(
        await (
          await ask(service, 'POST /visitors/cloudy/watch_url', { agent, webhook_url: hook.url })
        ).json(),
      );
    const session = await service.openWatchLink(link.watch_url);
    await service.endSession(session.id);
    await expect.poll(() => service.webhooks()).toMatchObject([{ body: { id: session.id } }]);
  });
});
