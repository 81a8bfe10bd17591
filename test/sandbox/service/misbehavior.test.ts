import { describe, expect, it } from 'vitest';
import { misbehaviorSwitches } from '../../../sandbox/service/switches.ts';
import type { StandInService } from '../../../sandbox/service/service.ts';
import { ask, listener, standIn, watchLink } from './stand-in.ts';

function tell(service: StandInService, body: unknown) {
  return fetch(`${service.url}/stand-in/misbehave`, { method: 'POST', body: JSON.stringify(body) });
}

async function statuses(service: StandInService, calls: number) {
  const seen = [];
  for (let call = 0; call < calls; call += 1) seen.push((await ask(service, 'GET /usage')).status);
  return seen;
}

describe('POST /stand-in/misbehave', () => {
  it('makes the next calls fail, and no more', async () => {
    const service = await standIn();
    expect(await (await tell(service, { fail: { with: 503, next: 2 } })).json()).toEqual({
      fail: { with: 503, next: 2 },
    });
    expect(await statuses(service, 1)).toEqual([503]);
    const current = await fetch(`${service.url}/stand-in/misbehave`);
    expect(await current.json()).toEqual({ fail: { with: 503, next: 1 } });
    expect(await statuses(service, 3)).toEqual([503, 200, 200]);
    expect(await (await fetch(`${service.url}/stand-in/misbehave`)).json()).toEqual({});
  });

  it('makes all calls fail until it ends', async () => {
    const service = await standIn();
    await tell(service, { fail: { with: 404 } });
    expect(await statuses(service, 3)).toEqual([404, 404, 404]);
    await tell(service, {});
    expect(await statuses(service, 1)).toEqual([200]);
  });

  it('makes a share of the calls fail', async () => {
    const chances = [0.1, 0.3, 0.19, 0.2];
    const service = await standIn({ chance: () => chances.shift() ?? 0 });
    await tell(service, { fail: { with: 500, share: 0.2 } });
    expect(await statuses(service, 4)).toEqual([500, 200, 500, 200]);
  });

  it('gives 429 with Retry-After, as said or 1', async () => {
    const service = await standIn();
    await tell(service, { fail: { with: 429 } });
    const usual = await ask(service, 'GET /usage');
    expect([usual.status, usual.headers.get('retry-after')]).toEqual([429, '1']);
    await tell(service, { fail: { with: 503, retryAfterSeconds: 7 } });
    expect((await ask(service, 'GET /usage')).headers.get('retry-after')).toBe('7');
    await tell(service, { fail: { with: 503 } });
    expect((await ask(service, 'GET /usage')).headers.get('retry-after')).toBeNull();
  });

  it('gives answers that make no sense', async () => {
    const service = await standIn();
    await tell(service, { fail: { with: 'nonsense' } });
    const response = await ask(service, 'GET /usage');
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('<html>')]);
  });

  it('gives no answer at all', async () => {
    const service = await standIn();
    await tell(service, { fail: { with: 'hang-up', next: 1 } });
    await expect(ask(service, 'GET /usage')).rejects.toThrow('fetch failed');
    expect(await statuses(service, 1)).toEqual([200]);
  });

  it('makes API calls slow, but not pages', async () => {
    const service = await standIn();
    await tell(service, { latencyMs: 600_000 });
    const waiting = ask(service, 'GET /usage').then(
      () => 'answered',
      () => 'broken off',
    );
    expect((await fetch(service.url)).status).toBe(200);
    await expect.poll(() => service.requests).toHaveLength(1);
    await service.close();
    expect(await waiting).toBe('broken off');
  });

  it.each([
    { latencyMs: -1 },
    { fail: {} },
    { fail: { with: 200 } },
    { fail: { with: 503, share: 2 } },
    { webhooks: { copies: 0 } },
    { unknown: true },
  ])('refuses %j and stays as it was', async (body) => {
    const service = await standIn({ misbehavior: { fail: { with: 418 } } });
    expect((await tell(service, body)).status).toBe(400);
    expect(await statuses(service, 1)).toEqual([418]);
  });
});

async function endSession(service: StandInService, url: string) {
  const link = await watchLink(service, 'jane4821', { webhook_url: url });
  const session = await service.openWatchLink(link.url);
  return service.endSession(session.id);
}

describe('webhooks that misbehave', () => {
  it('are not sent', async () => {
    const hook = await listener();
    const service = await standIn();
    await tell(service, { webhooks: { drop: true } });
    await endSession(service, hook.url);
    await tell(service, {});
    const told = await endSession(service, hook.url);
    await expect.poll(() => service.webhooks()).toMatchObject([{ body: { id: told.id } }]);
    expect(hook.bodies).toHaveLength(1);
  });

  it('are sent twice', async () => {
    const hook = await listener();
    const service = await standIn({ misbehavior: { webhooks: { copies: 2 } } });
    await endSession(service, hook.url);
    await expect.poll(() => hook.bodies).toHaveLength(2);
    expect(new Set(hook.bodies).size).toBe(1);
  });

  it('are sent late', async () => {
    const hook = await listener();
    const service = await standIn({ misbehavior: { webhooks: { delayMs: 600_000 } } });
    await endSession(service, hook.url);
    service.misbehave({ webhooks: { delayMs: 20 } });
    const second = await endSession(service, hook.url);
    await expect.poll(() => service.webhooks()).toMatchObject([{ body: { id: second.id } }]);
  });
});

describe('the limit of API calls', () => {
  it('is counted by the minute, and reported with Retry-After', async () => {
    let time = new Date('2026-03-01T12:00:00Z');
    const service = await standIn({ callsPerMinute: 2, now: () => time });
    expect(await statuses(service, 2)).toEqual([200, 200]);
    time = new Date('2026-03-01T12:00:45Z');
    const refused = await ask(service, 'GET /usage');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '15']);
    time = new Date('2026-03-01T12:01:00Z');
    expect(await statuses(service, 1)).toEqual([200]);
  });
});

describe('the front page', () => {
  it('lists every switch and what is wrong right now', async () => {
    const service = await standIn({ misbehavior: { fail: { with: 503, next: 9 } } });
    const page = await (await fetch(service.url)).text();
    const text = page.replaceAll('&quot;', '"');
    for (const { json } of misbehaviorSwitches) expect(text).toContain(json);
    expect(text).toContain('POST /stand-in/misbehave');
    expect(text).toContain('Now: <code>{"fail":{"with":503,"next":9}}</code>');
    expect(text).toContain('off, because it has no key');
    for (const { json } of misbehaviorSwitches) {
      expect((await tell(service, JSON.parse(json))).status).toBe(200);
    }
  });
});
