import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { ServiceOptions, StandInService } from '../../../sandbox/service/service.ts';
import { ask, standIn } from '../service/stand-in.ts';
import { live, refusal, snapshot, stateOf, visitorPage, watching } from './sides.ts';

type Live = Awaited<ReturnType<typeof live>>;

describe('the life of a session', () => {
  it('receives nothing of the page before the visitor agrees', async () => {
    const service = await standIn();
    const agent = await (await watching(service, 'jane4821')).page();
    const visitor = await visitorPage(service, 'jane4821');
    await visitor.until(stateOf('"agent":"Sam Lee"'));
    visitor.send({ t: 'events', seq: 1, events: snapshot() });
    visitor.send({ t: 'beat', hidden: false });
    await visitor.until(({ t }) => t === 'beat');
    visitor.send({ t: 'answer', session: service.sessions()[0]?.id, allow: true });
    await visitor.until(({ t }) => t === 'snapshot');
    visitor.send({ t: 'events', seq: 2, events: snapshot('Second') });
    const events = await agent.until(({ t }) => t === 'events');
    expect(JSON.stringify(events)).toContain('Second');
    expect(agent.heard.filter(({ t }) => t === 'events')).toHaveLength(1);
  });

  it.each<[string, Partial<ServiceOptions>, (here: Live, service: StandInService) => unknown, string]>([
    ['the visitor stops it', {}, ({ visitor }) => visitor.send({ t: 'stop' }), 'visitor'],
    ['an API call stops it', {}, (_, service) => ask(service, 'DELETE /visitors/jane4821/session'), 'api'],
    [
      'the visitor’s tab stays closed',
      { visitorGoneMs: 20 },
      ({ visitor }) => visitor.leave(),
      'visitor-gone',
    ],
    ['the agent does nothing for long', { idleMs: 1_500 }, () => undefined, 'idle'],
  ])('ends when %s, and tells both sides', async (_why, options, how, by) => {
    const service = await standIn(options);
    const here = await live(service);
    await how(here, service);
    expect(await here.agent.until(({ t }) => t === 'ended')).toMatchObject({ by });
    if (by !== 'visitor-gone') await here.visitor.until(({ t }) => t === 'ended');
    expect(service.sessions()[0]?.ended_at).not.toBeNull();
  });

  it('ends when the agent’s tab stays closed', async () => {
    const service = await standIn({ pageClosedMs: 20 });
    const { agent, visitor } = await live(service);
    agent.leave();
    expect(await visitor.until(({ t }) => t === 'ended')).toMatchObject({ agent: 'Sam Lee' });
    expect(service.sessions()[0]?.ended_at).not.toBeNull();
  });
});

describe('access to the live view', () => {
  it('is for pages on this machine, with the public key', async () => {
    const service = await standIn();
    const visit = `${service.url}/visit`;
    expect(await refusal(visit, { origin: 'https://evil.example' })).toBe(403);
    expect(await refusal(visit, {})).toBe(403);
    expect(await refusal(visit, { origin: 'http://127.0.0.1:9', host: 'evil.example' })).toBe(403);
    const stranger = await visitorPage(service, undefined, { key: 'site_other' });
    expect(await stranger.closed).toBe(1008);
    const withRestKey = await visitorPage(service, undefined, { key: service.apiKey });
    expect(await withRestKey.closed).toBe(1008);
  });

  it('is the browser that opened the link, on the service’s own page', async () => {
    const service = await standIn();
    const { url, cookie } = await watching(service, 'jane4821');
    expect(await refusal(`${url}/socket`, { origin: service.url })).toBe(404);
    expect(await refusal(`${url}/socket`, { cookie: 'watch_holder=guess', origin: service.url })).toBe(404);
    expect(await refusal(`${url}/socket`, { cookie, origin: 'http://127.0.0.1:9' })).toBe(403);
    expect(await refusal(`${service.url}/elsewhere`, { cookie, origin: service.url })).toBe(404);
  });

  it('is refused to requests that reached this server under another name', async () => {
    const { url } = await standIn();
    const status = await new Promise((resolve) => {
      request(url, { headers: { host: 'evil.example' } }, (response) => resolve(response.statusCode)).end();
    });
    expect(status).toBe(403);
  });
});
