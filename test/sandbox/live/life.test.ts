import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ask, listener, standIn } from '../service/stand-in.ts';
import { live, refusal, snapshot, visitorPage, watching } from './sides.ts';

const stateOf = (words: string) => (message: { readonly t: string; readonly state?: unknown }) =>
  message.t === 'state' && JSON.stringify(message.state).includes(words);

describe('the life of a session', () => {
  it('waits for the visitor’s page, and asks there', async () => {
    const service = await standIn();
    const agent = await (await watching(service, 'jane4821')).page();
    await agent.until(stateOf('"status":"waiting"'));
    const visitor = await visitorPage(service, 'jane4821');
    await agent.until(stateOf('"status":"asking"'));
    await visitor.until(stateOf('"agent":"Sam Lee"'));
    visitor.send({ t: 'answer', session: service.sessions()[0]?.id, allow: true });
    await visitor.until(stateOf('"seenBy":["Sam Lee"]'));
    await agent.until(stateOf('"status":"live"'));
    expect(service.sessions()[0]?.ended_at).toBeNull();
  });

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

  it.each([
    ['visitor', 'stop'],
    ['agent', 'end'],
  ] as const)('ends from the side of the %s, and tells both', async (by, word) => {
    const here = await live(await standIn());
    here[by].send({ t: word });
    expect(await here.agent.until(({ t }) => t === 'ended')).toMatchObject({ by });
    expect(await here.visitor.until(({ t }) => t === 'ended')).toMatchObject({ agent: 'Sam Lee' });
    await here.visitor.until(stateOf('"seenBy":[]'));
  });

  it('ends from outside', async () => {
    const service = await standIn();
    const { agent } = await live(service);
    await ask(service, 'DELETE /visitors/jane4821/session');
    expect(await agent.until(({ t }) => t === 'ended')).toMatchObject({ by: 'api' });
  });

  it('ends when the visitor’s tab stays closed, but survives a page that comes back in time', async () => {
    const patient = await standIn();
    const there = await live(patient);
    there.visitor.leave();
    await there.agent.until(stateOf('"page":"lost"'));
    const again = await visitorPage(patient, 'jane4821', { page: 'page-2' });
    await again.until(stateOf('"seenBy":["Sam Lee"]'));
    again.send({ t: 'events', seq: 1, events: snapshot('Next page') });
    expect(JSON.stringify(await there.agent.until(({ t }) => t === 'events'))).toContain('Next page');

    const hasty = await standIn({ visitorGoneMs: 20 });
    const gone = await live(hasty);
    gone.visitor.leave();
    expect(await gone.agent.until(({ t }) => t === 'ended')).toMatchObject({ by: 'visitor-gone' });
  });

  it('asks again in another of the visitor’s tabs, and shows nothing of it before', async () => {
    const service = await standIn();
    const { visitor, agent, session } = await live(service);
    const other = await visitorPage(service, 'jane4821', { tab: 'tab-2', page: 'page-2' });
    await other.until(({ t }) => t === 'state');
    other.send({ t: 'events', seq: 1, events: snapshot('Not agreed to') });
    visitor.leave();
    await other.until(stateOf(`"session":"${session}"`));
    other.send({ t: 'answer', session, allow: true });
    await other.until(({ t }) => t === 'snapshot');
    other.send({ t: 'events', seq: 2, events: snapshot('Agreed to') });
    const next = await agent.until(({ t }) => t === 'events');
    expect(JSON.stringify(next)).toContain('Agreed to');
    expect(JSON.stringify(agent.heard)).not.toContain('Not agreed');
  });

  it('ends when the agent’s tab stays closed, but not on a reload', async () => {
    const service = await standIn({ pageClosedMs: 1_500 });
    const { watch, agent } = await live(service);
    agent.leave();
    await agent.closed;
    expect((await fetch(watch.url, { headers: { cookie: watch.cookie } })).status).toBe(200);
    const again = await watch.page();
    await again.until(stateOf('"status":"live"'));
    expect(service.sessions()[0]?.ended_at).toBeNull();
    again.leave();
    await expect.poll(() => service.sessions()[0]?.ended_at).not.toBeNull();
  });

  it('waits longer for an agent whose connection broke than for one who left', async () => {
    const service = await standIn({ pageClosedMs: 1 });
    const { watch, agent, visitor } = await live(service);
    agent.drop();
    await visitor.until(stateOf('"isAgentAway":true'));
    const again = await watch.page();
    await again.until(stateOf('"control":"you"'));
    await visitor.until(stateOf('"isAgentAway":false'));
    expect(service.sessions()[0]?.ended_at).toBeNull();
  });

  it('ends if the agent does nothing for a long time', async () => {
    const service = await standIn({ idleMs: 20 });
    const agent = await (await watching(service, 'jane4821')).page();
    expect(await agent.until(({ t }) => t === 'ended')).toMatchObject({ by: 'idle' });
  });

  it('tells the webhook what really happened, and accepts both sides’ feedback afterwards', async () => {
    const hook = await listener();
    const service = await standIn();
    const { act, agent, visitor, session } = await live(service, { webhook_url: hook.url });
    expect(await act({ kind: 'highlight', node: 10 })).toBe('done');
    agent.send({ t: 'end' });
    await visitor.until(({ t }) => t === 'ended');
    await expect.poll(() => hook.bodies).toHaveLength(1);
    expect(JSON.parse((hook.bodies[0] ?? '').replace('POST /end ', ''))).toMatchObject({
      features_used: ['remote_cursor'],
      session_authorized: true,
      went_live: true,
      quality_feedback: [],
      video_url: null,
    });
    agent.send({ t: 'feedback', rating: 5 });
    visitor.send({ t: 'feedback', session, rating: 4, comment: 'Quick' });
    visitor.send({ t: 'feedback', session, rating: 1 });
    await expect.poll(() => service.sessions()[0]?.quality_feedback).toHaveLength(2);
    expect(service.sessions()[0]?.quality_feedback).toEqual(
      expect.arrayContaining([
        { from: 'agent', rating: 5 },
        { from: 'visitor', rating: 4, comment: 'Quick' },
      ]),
    );
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

  it('makes a new visitor for a new browser, findable by the code on their page', async () => {
    const service = await standIn();
    const page = await visitorPage(service, undefined);
    const { code } = await page.until(({ t }) => t === 'welcome');
    const found: unknown = await (await ask(service, `GET /list?search=${String(code)}`)).json();
    expect(found).toMatchObject({
      visitors: [{ is_online: true, last_url: 'http://127.0.0.1:9/checkout', lookup_code: code }],
    });
    page.leave();
    await expect
      .poll(async () => (await ask(service, `GET /list?search=${String(code)}`)).json())
      .toMatchObject({ visitors: [{ is_online: false }] });
  });
});
