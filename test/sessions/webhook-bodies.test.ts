import { beforeAll, describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, personIn } from '../support/person.ts';
import { endedSession } from './ended-session.ts';
import { webhooksOf } from './webhook-stage.ts';

const oddIds = [4_294_967_296, 0, 'a\u0000b', "'; DROP TABLE records; --", 'x'.repeat(255)];

describe('POST /webhooks/session-end/:ticket with a good ticket', () => {
  const { sandbox } = checkedSandbox();
  let webhooks: ReturnType<typeof webhooksOf>;
  beforeAll(() => void (webhooks = webhooksOf(sandbox())));

  it.each([
    ['bare', endedSession('bare')],
    ['wrapped', { session: endedSession('wrapped'), event: 'end' }],
  ])('posts the summary of a session that comes %s', async (id, body) => {
    expect(await webhooks.send(body)).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    const { text } = await webhooks.summaryOf(id);
    expect(text).toContain(`Jane Cooper with Agent of ${id} · 1 min\n`);
    expect(text).toContain('Tools used: click, scroll');
  });

  it.each(['', '{"id":"refused"', 'undefined'])('answers 400 to %j, and posts nothing', async (body) => {
    expect(await webhooks.sendText(body)).toMatchObject({
      status: 400,
      body: '{"status":"error","error":"not JSON"}',
    });
    expect(await webhooks.allUntilNow()).not.toContain('refused');
  });

  it.each([
    '[{"id":"refused"}]',
    '{"id":" \\t\\n"}',
    '{"id":1.5}',
    '{"id":"\\ud800"}',
    '{"id":"https://live.example/go?key=kQ3v9xZt7LpW"}',
    '{"__proto__":{"id":"refused"}}',
  ])('answers 422 to %s, and posts nothing', async (body) => {
    const before = await webhooks.allUntilNow();
    expect(await webhooks.sendText(body)).toMatchObject({
      status: 422,
      body: '{"status":"error","error":"not a session with an id"}',
    });
    expect(await webhooks.allUntilNow()).toEqual(before);
  });

  it.each(oddIds.map((id, index) => ({ id, agent: `row-${index}` })))(
    'accepts any id that is text or a whole number, once ($agent)',
    async ({ id, agent }) => {
      const agents = [{ id: 1, name: `Agent of ${agent}` }];
      expect(await webhooks.send(endedSession(id, { agents }))).toMatchObject({ status: 200 });
      expect(await webhooks.send(endedSession(String(id), { agents }))).toMatchObject({ status: 200 });
      expect((await webhooks.allUntilNow()).filter((seen) => seen === agent)).toHaveLength(1);
    },
  );

  it('accepts a session that has nothing but its id', async () => {
    expect(await webhooks.send({ id: 'bare-id' })).toMatchObject({ status: 200 });
    // Without a name from the service, the agent is the Slack user who pressed Watch.
    const { text } = await personIn(sandbox()).message((message) =>
      message.text.includes(`Agent: <@${ALEX}>`),
    );
    expect(text).toMatch(/^Jane Cooper\n.* · No tools used\n/);
  });

  it('accepts a session that still runs, without an end', async () => {
    for (const ended_at of [null, undefined, '', 'soon', 0]) {
      const id = `no-end-${String(ended_at)}`;
      expect(await webhooks.send(endedSession(id, { ended_at }))).toMatchObject({ status: 200 });
      expect((await webhooks.summaryOf(id)).text).toContain(' · 1 min\n');
    }
  });

  it('accepts fields of the wrong type and hostile words in the others', async () => {
    const nonsense = {
      started_at: 7,
      ended_at: {},
      length_seconds: '75',
      features_used: 'click',
      on_premise: 'no',
    };
    expect(await webhooks.send(endedSession('odd', nonsense))).toMatchObject({ status: 200 });
    const hostile = {
      features_used: ['<!channel>', '*x*', '\u202Egpj.exe', 'y'.repeat(10_000)],
      quality_feedback: [{ comment: '<https://evil.example|click>' }, 5, null, [[]]],
      video_url: 'javascript:alert(1)',
      length_seconds: 1e300,
    };
    expect(await webhooks.send(endedSession('hostile', hostile))).toMatchObject({ status: 200 });
    const { text } = await webhooks.summaryOf('hostile');
    expect(text).not.toMatch(/<!channel>|<https:|javascript:|\u202E/);
    await webhooks.summaryOf('odd');
  });
});
