import { describe, expect, it } from 'vitest';
import { alexInSupport, endedSession } from '../sessions/ended-session.ts';
import { webhooksOf } from '../sessions/webhook-stage.ts';
import { sqlite } from '../support/engines.ts';
import { ALEX, SAM, SUPPORT, personIn } from '../support/person.ts';
import { writeSettings } from '../support/settings-values.ts';
import { RANDOM, openStage } from './stage.ts';

describe('summaries by subscription', () => {
  it('posts a session once into its own channel, subscribed or not, and into each that wants it', async () => {
    const { alex, watchAndEnd, settled, summaries } = await openStage();
    await alex.type('/cobrowse subscribe #random');
    await settled(await watchAndEnd(), '1');
    const [post, ...others] = summaries(RANDOM);
    expect(post?.text).toMatch(/^Jane Cooper with .*\nCo-browsing session ended · Full control/);
    expect(others).toEqual([]);
    await expect.poll(() => summaries(SUPPORT)).toHaveLength(1);
    await alex.type('/cobrowse subscribe #support');
    for (const times of [2, 3]) {
      await settled(await watchAndEnd(), '1');
      await expect.poll(() => summaries(SUPPORT)).toHaveLength(times);
    }
  });

  it('lets pass what is by somebody named or of a group, with a customer’s tag', async () => {
    const { alex, watchAndEnd, settled, summaries } = await openStage();
    await alex.type('/cobrowse subscribe #random by @support-leads or @kim tag:VIP');
    expect(await settled(await watchAndEnd({ as: SAM }), '1')).toBe('posted');
    expect(await settled(await watchAndEnd({ as: ALEX }), '1')).toBe('filtered_out');
    expect(summaries(RANDOM)).toHaveLength(1);
  });

  it('waits where the tags cannot be looked up, and posts then', async () => {
    const { alex, watchAndEnd, saidOf, summaries, sandbox } = await openStage();
    await alex.type('/cobrowse subscribe #random tag:vip');
    sandbox.service.misbehave({ webhooks: { delayMs: 150 } });
    const id = await watchAndEnd();
    sandbox.service.misbehave({ fail: { with: 500 } });
    await expect.poll(() => saidOf(id, '1').some(({ reason }) => reason === 'filter_unknown')).toBe(true);
    sandbox.service.misbehave({});
    await expect.poll(() => summaries(RANDOM)).toHaveLength(1);
  });
});

const DIRECT = 'D0ALEX00001';
const DIRECT_SAM = 'D0SAM000002';

describe('one place under two names', () => {
  it('hears once where the channel got another id during the session', async () => {
    const { sandbox, alex, summaries, settled, watchAndEnd } = await openStage();
    await alex.type('/cobrowse subscribe #support');
    await alex.type('/cobrowse subscribe #random');
    const inRandom = personIn(sandbox, ALEX, RANDOM);
    const list = async () => (await inRandom.type('/cobrowse subscriptions')).text;
    const id = await watchAndEnd({
      async meanwhile() {
        sandbox.slack.convert({ channel: SUPPORT, newId: 'C0MOVED0001' });
        await expect.poll(list).toContain('C0MOVED0001');
      },
    });
    // Once #random has a summary, everything else that was due is there.
    expect(await settled(id, '2')).toBe('posted');
    await settled(id, '1');
    await expect.poll(() => summaries('C0MOVED0001')).toHaveLength(1);
  });

  it('hears once in direct messages, though a session without a channel goes to the person', async () => {
    const { sandbox, alex, summaries, posts } = await openStage();
    await alex.type('/cobrowse subscribe #random');
    await personIn(sandbox, ALEX, DIRECT).type('/cobrowse subscribe all');
    expect(posts(DIRECT)).toHaveLength(1);
    const { channelId: _, ...nowhere } = alexInSupport;
    const webhooks = webhooksOf(sandbox);
    // Just now: after everything that was set up before.
    const ended = { started_at: undefined, ended_at: new Date().toISOString(), length_seconds: 60 };
    await webhooks.send(endedSession('nowhere', ended), { to: webhooks.address(nowhere) });
    // Once #random has it, everything else that was due is there.
    await expect.poll(() => summaries(RANDOM)).toHaveLength(1);
    await expect.poll(() => summaries(DIRECT)).toHaveLength(1);
  });
});

describe('direct messages', () => {
  it('get nothing more once whoever set it up may see no customers any more', async () => {
    const { sandbox, watchAndEnd, settled, summaries } = await openStage();
    await personIn(sandbox, SAM, DIRECT_SAM).type('/cobrowse subscribe all');
    sandbox.slack.changePerson(SAM, { guest: true });
    expect(await settled(await watchAndEnd(), '1')).toBe('reader_may_not');
    sandbox.slack.changePerson(SAM, { guest: false });
    expect(await settled(await watchAndEnd({ visitorId: 'priya55' }), '1')).toBe('posted');
    expect(summaries(DIRECT_SAM)).toEqual([]);
  });

  it('go on for a member whom no rule lets watch: they find customers, too', async () => {
    const { sandbox, watchAndEnd, settled } = await openStage({ storeUrl: await sqlite.newUrl() });
    await personIn(sandbox, SAM, DIRECT_SAM).type('/cobrowse subscribe all');
    await writeSettings(sandbox, { rules: { watch: { members: false, ids: [ALEX] } } });
    const { text } = await personIn(sandbox, SAM).type('/cobrowse watch jane4821');
    expect(text).toContain('You don’t have permission to watch');
    expect(await settled(await watchAndEnd(), '1')).toBe('posted');
  });
});
