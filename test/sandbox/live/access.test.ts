import { describe, expect, it } from 'vitest';
import { standIn } from '../service/stand-in.ts';
import { field, live, snapshot, stateOf, watching } from './sides.ts';

const acts = {
  pointer: { kind: 'pointer', x: 1, y: 2 },
  highlight: { kind: 'highlight', node: field.box },
  draw: { kind: 'draw', line: 1, points: [[1, 2]] },
  click: { kind: 'click', node: field.box },
  scroll: { kind: 'scroll', node: null, x: 0, y: 10 },
  type: { kind: 'type', node: field.shown, text: 'AUTUMN' },
  redirect: { kind: 'redirect', url: 'https://shop.example/help' },
} as const;

describe('what an agent can do', () => {
  it('is pointing and drawing, until the visitor allows more', async () => {
    const service = await standIn();
    const { act, lend } = await live(service);
    expect(await act(acts.pointer)).toBe('done');
    expect(await act(acts.highlight)).toBe('done');
    expect(await act(acts.draw)).toBe('done');
    const more = ['click', 'scroll', 'type', 'redirect'] as const;
    for (const kind of more) expect([kind, await act(acts[kind])]).toEqual([kind, 'no-access']);
    expect(service.sessions()[0]?.features_used).toEqual(['remote_cursor', 'draw']);
    await lend();
    for (const kind of more) expect([kind, await act(acts[kind])]).toEqual([kind, 'done']);
    expect(service.sessions()[0]?.features_used).toEqual(['remote_cursor', 'draw', ...more]);
  });

  it.each([
    ['draw', 'allow_draw'],
    ['click', 'allow_click'],
    ['scroll', 'allow_scroll'],
    ['type', 'allow_type'],
    ['redirect', 'allow_agent_redirect'],
  ] as const)(
    'is never %s if the link doesn’t grant it, whatever is asked and allowed',
    async (kind, flag) => {
      const { act, lend } = await live(await standIn(), { permissions: { [flag]: false } });
      await lend();
      expect(await act(acts[kind])).toBe('no-access');
      expect(await act(acts[kind === 'click' ? 'scroll' : 'click'])).toBe('done');
    },
  );

  it.each([
    [field.typed, 'masked'],
    [field.hidden, 'masked'],
    [field.password, 'masked'],
    [field.file, 'file'],
  ])('never includes field %i', async (node, why) => {
    const { act, lend, visitor } = await live(await standIn());
    await lend();
    expect(await act({ kind: 'click', node })).toBe(why);
    expect(await act({ kind: 'type', node, text: 'x' })).toBe(why);
    expect(await act({ kind: 'choose', node, value: 'x' })).toBe(why);
    expect(visitor.heard.filter(({ t }) => t === 'act')).toEqual([]);
  });

  it.each([
    { kind: 'redirect', url: 'javascript:alert(1)' },
    { kind: 'redirect', url: 'file:///etc/passwd' },
    { kind: 'redirect', url: '//evil.example' },
    { kind: 'run', script: 'alert(1)' },
    { kind: 'pointer', x: Number.MAX_VALUE, y: 0 },
  ])('is never %o', async (wanted) => {
    const { act, lend, agent } = await live(await standIn());
    await lend();
    expect(await act(wanted)).toBe('bad-act');
    agent.sendText('not JSON');
    expect(await agent.closed).toBe(1008);
  });
});

const robin = { agent: { id: 'agent_robin', name: 'Robin Marsh' } };

describe('several agents at one visitor', () => {
  it('all watch once each is agreed to, and one of them is in control', async () => {
    const service = await standIn();
    const first = await live(service);
    await first.lend();
    const second = await (await watching(service, 'jane4821', robin)).page();
    const session = service.sessions().find(({ agents }) => agents[0]?.name === 'Robin Marsh');
    await first.agent.until(stateOf('"othersAsking":["Robin"]'));
    await first.visitor.until(stateOf('"agent":"Robin"'));
    expect(await first.act(acts.pointer, Number(first.first.seq), second)).toBe('not-live');
    first.visitor.send({ t: 'answer', session: session?.id, allow: true });
    await first.visitor.until(({ t }) => t === 'snapshot');
    first.visitor.send({ t: 'events', seq: 2, events: snapshot('For both') });
    // A latecomer's snapshot is sent to all.
    const [one, other] = await Promise.all(
      [first.agent, second].map((side) => side.until(({ t }) => t === 'events')),
    );
    expect(one).toEqual(other);
    await second.until(stateOf('"control":"other"', '"controller":"Sam Lee"'));
    expect(await first.act(acts.pointer, Number(one?.seq), second)).toBe('not-in-control');
    second.send({ t: 'control' });
    await second.until(stateOf('"control":"you"', '"access":["draw"]'));
    expect(await first.act(acts.pointer, Number(one?.seq), second)).toBe('done');
    // What was lent to one is not lent to the other.
    expect(await first.act(acts.click, Number(one?.seq), second)).toBe('no-access');
    expect(await first.act(acts.pointer, Number(one?.seq))).toBe('not-in-control');
  });
});
