import { beforeAll, describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, personIn } from '../support/person.ts';
import { endedSession } from './ended-session.ts';
import { webhooksOf } from './webhook-stage.ts';

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

  it.each([
    ['', 400, 'not JSON'],
    ['{"id":"refused"', 400, 'not JSON'],
    ['undefined', 400, 'not JSON'],
    ['[{"id":"refused"}]', 422, 'not a session with an id'],
    ['{"id":" \\t\\n"}', 422, 'not a session with an id'],
    ['{"id":1.5}', 422, 'not a session with an id'],
    ['{"id":"\\ud800"}', 422, 'not a session with an id'],
    ['{"id":"https://live.example/go?key=kQ3v9xZt7LpW"}', 422, 'not a session with an id'],
    ['{"__proto__":{"id":"refused"}}', 422, 'not a session with an id'],
  ])('posts nothing of %s, which it answers with %i', async (sent, status, error) => {
    const before = await webhooks.allUntilNow();
    const body = JSON.stringify({ status: 'error', error });
    expect(await webhooks.sendText(sent)).toMatchObject({ status, body });
    expect(await webhooks.allUntilNow()).toEqual(before);
  });

  it('accepts any id that is text or a whole number, once', async () => {
    const ids = [4_294_967_296, 0, 'a\u0000b', "'; DROP TABLE records; --", 'x'.repeat(255)];
    for (const [index, id] of ids.entries()) {
      const agents = [{ id: 1, name: `Agent of row-${index}` }];
      for (const sent of [id, String(id)])
        expect(await webhooks.send(endedSession(sent, { agents }))).toMatchObject({ status: 200 });
    }
    const rows = (await webhooks.allUntilNow()).filter((seen) => seen.startsWith('row-'));
    expect(rows.toSorted()).toEqual(ids.map((_id, index) => `row-${index}`));
  });

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

  // What hostile words in a session come to is in test/messages/properties.test.ts.
  it('accepts fields of the wrong type', async () => {
    const times = { started_at: 7, ended_at: {}, length_seconds: '75' };
    const nonsense = { ...times, features_used: 'click', on_premise: 'no', quality_feedback: [null, [[]]] };
    expect(await webhooks.send(endedSession('odd', nonsense))).toMatchObject({ status: 200 });
    await webhooks.summaryOf('odd');
  });
});
