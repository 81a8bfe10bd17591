import { describe, expect, it } from 'vitest';
import { movableClock, standIn, watchLink } from './stand-in.ts';

describe('a watch link', () => {
  it('starts a session when it is opened, and works once', async () => {
    const clock = movableClock();
    const service = await standIn({ now: clock.now });
    const { url } = await watchLink(service, 'jane4821', { metadata: { grant: 'g1' } });
    expect((await fetch(url)).status).toBe(200);
    expect(service.sessions()[0]).toMatchObject({
      visitor_id: 'jane4821',
      ended_at: null,
      started_at: '2026-03-01T12:00:00.000+00:00',
      metadata: { grant: 'g1' },
      agents: [{ name: 'Sam Lee', external_id: 'slack-U1' }],
    });
    expect((await fetch(url)).status).toBe(410);
    expect(service.sessions().filter((session) => session.ended_at === null)).toHaveLength(1);
  });

  it('opens again in the browser that opened it, for a reload, and in no other', async () => {
    const service = await standIn();
    const { url } = await watchLink(service, 'jane4821');
    const first = await fetch(url);
    const [cookie = ''] = first.headers.getSetCookie();
    expect(cookie).toMatch(/; Path=\/watch\/[\w-]+; HttpOnly; SameSite=Lax$/u);
    const statusWith = async (sent = '') => (await fetch(url, { headers: { cookie: sent } })).status;
    expect(await statusWith(cookie.split(';')[0])).toBe(200);
    expect(await statusWith('watch_holder=other')).toBe(410);
    expect(service.sessions().filter((session) => session.ended_at === null)).toHaveLength(1);
    await fetch(`${url}/end`, { method: 'POST' });
    expect(await statusWith(cookie.split(';')[0])).toBe(410);
  });

  it('expires', async () => {
    const clock = movableClock();
    const service = await standIn({ now: clock.now });
    const { url, expiration } = await watchLink(service, 'jane4821');
    expect(expiration).toBe('2026-03-01T12:05:00.000+00:00');
    clock.moveMinutes(5);
    const response = await fetch(url);
    expect([response.status, await response.text()]).toEqual([410, expect.stringContaining('expired')]);
    expect(service.sessions().every((session) => session.ended_at !== null)).toBe(true);
  });
});

describe('a session', () => {
  it('cannot be ended by a page of another site', async () => {
    const service = await standIn();
    const { url } = await watchLink(service, 'jane4821');
    await fetch(url);
    const ending = (origin: string) => fetch(`${url}/end`, { method: 'POST', headers: { origin } });
    expect((await ending('http://evil.example')).status).toBe(403);
    expect(service.sessions()[0]?.ended_at).toBeNull();
    expect((await ending(service.url)).status).toBe(200);
  });
});
