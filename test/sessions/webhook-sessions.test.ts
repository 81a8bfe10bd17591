import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { ALEX, personIn } from '../support/person.ts';
import { endedSession } from './ended-session.ts';
import { webhooksOf } from './webhook-stage.ts';

const oddIds = [
  4_294_967_296,
  0,
  'a/b?c#d',
  '../../etc',
  'ünïcode 雪',
  'a\u0000b',
  "'; DROP TABLE records; --",
  'x'.repeat(255),
];

describe('a session that the service reports', () => {
  let sandbox: Sandbox;
  let webhooks: ReturnType<typeof webhooksOf>;
  beforeAll(async () => {
    sandbox = await startSandbox({ paceMs: 0 });
    webhooks = webhooksOf(sandbox);
  });
  afterAll(() => sandbox.close());

  it.each(oddIds.map((id, index) => ({ id, agent: `row-${index}` })))(
    'may have any id that is text or a whole number ($agent)',
    async ({ id, agent }) => {
      const agents = [{ id: 1, name: `Agent of ${agent}` }];
      expect(await webhooks.send(endedSession(id, { agents }))).toMatchObject({ status: 200 });
      expect(await webhooks.send(endedSession(String(id), { agents }))).toMatchObject({ status: 200 });
      expect((await webhooks.allUntilNow()).filter((seen) => seen === agent)).toHaveLength(1);
    },
  );

  it('can have nothing but its id', async () => {
    expect(await webhooks.send({ id: 'bare-id' })).toMatchObject({ status: 200 });
    // Without a name from the service, the agent is the Slack user who pressed Watch.
    const { text } = await personIn(sandbox).message((message) => message.text.includes(`Agent: <@${ALEX}>`));
    expect(text).toContain('Visitor: Jane Cooper');
    expect(text).toContain('View only, no tools used');
  });

  it('can still be running, without an end', async () => {
    for (const ended_at of [null, undefined, '', 'soon', 0]) {
      const id = `no-end-${String(ended_at)}`;
      expect(await webhooks.send(endedSession(id, { ended_at }))).toMatchObject({ status: 200 });
      expect((await webhooks.summaryOf(id)).text).toContain('Duration: 1 minute 15 seconds');
    }
  });

  it('is accepted despite fields of the wrong type and hostile words in the others', async () => {
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
