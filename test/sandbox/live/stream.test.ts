import { describe, expect, it } from 'vitest';
import { ask, standIn } from '../service/stand-in.ts';
import { field, input, live, snapshot } from './sides.ts';

describe('the stream of a visitor’s page', () => {
  it('is cleaned on its way, even if the page sends what it shouldn’t', async () => {
    const { agent, visitor, first } = await live(await standIn());
    const text = JSON.stringify(first);
    for (const secret of ['4242', 'hunter2', 'token-9', 'csrf', 'passport', 'card=', '#x'])
      expect(text).not.toContain(secret);
    expect(text).toContain('•••• ••••');
    expect(text).toContain('SPRING');
    expect(text).toContain('"href":"http://127.0.0.1:9/checkout"');
    const typed = [field.typed, field.shown, field.hidden, field.password, 99];
    visitor.send({ t: 'events', seq: 2, events: typed.map((id) => input(id, `word${id}`)) });
    const next = JSON.stringify((await agent.until(({ t }) => t === 'events')).events);
    expect(next.match(/word\d+/gu)).toEqual([`word${field.shown}`]);
    expect(next.match(/•{6}/gu)).toHaveLength(3);
  });

  it('asks for a snapshot if something is missing, and shows nothing in between', async () => {
    const { agent, visitor } = await live(await standIn());
    visitor.send({ t: 'events', seq: 5, events: [input(field.shown, 'after a hole')] });
    await visitor.until(({ t }) => t === 'snapshot');
    visitor.send({ t: 'events', seq: 6, events: snapshot('Whole again') });
    const next = JSON.stringify(await agent.until(({ t }) => t === 'events'));
    expect(next).toContain('Whole again');
    expect(JSON.stringify(agent.heard)).not.toContain('after a hole');
  });
});

describe('a recording', () => {
  it('is made if it is switched on, of what the agent was shown, and deleted with the visitor', async () => {
    const service = await standIn({ recording: true, visitorGoneMs: 20 });
    const { agent, visitor } = await live(service);
    visitor.send({ t: 'events', seq: 2, events: [input(field.typed, 'secret words')] });
    await agent.until(({ t }) => t === 'events');
    agent.send({ t: 'end' });
    await agent.until(({ t }) => t === 'ended');
    const [session] = service.sessions();
    expect(session).toMatchObject({ video_status: 'ready' });
    const url = session?.video_url ?? '';
    expect(url).toMatch(/\/recordings\/[\w-]{24}$/u);
    const page = await fetch(url);
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const events = await (await fetch(`${url}/events`)).text();
    expect(JSON.parse(events)).toHaveLength(3);
    expect(events).not.toMatch(/secret|4242|hunter2/u);
    expect(events).toContain('•••••• •••••');
    visitor.leave();
    service.setOnline('jane4821', false);
    await expect.poll(async () => (await ask(service, 'DELETE /visitors/jane4821')).status).toBe(200);
    expect((await fetch(url)).status).toBe(404);
    expect(service.sessions()[0]).toMatchObject({ video_url: null, video_status: null });
  });
});
