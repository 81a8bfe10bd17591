import { describe, expect, it } from 'vitest';
import { acme } from '../../sandbox/slack/seed.ts';
import { ALEX, KIM, SAM, SUPPORT, personIn } from '../support/person.ts';
import { ADA, RANDOM, openStage } from './stage.ts';

/** Alex's direct messages with the app. */
const DIRECT = 'D0ALEX00001';

/** A private channel. */
const LEADS = { id: 'C0LEADS0005', name: 'leads', topic: 'Leads', isPrivate: true };
const channels = [...acme.channels, { ...LEADS, members: [ALEX, SAM, 'U0COBROWSE'] }];
const withLeads = { slack: { seed: { ...acme, channels } } };

/** A stage with a subscription of #random. */
async function subscribed(options: Parameters<typeof openStage>[0] = {}) {
  const stage = await openStage(options);
  await stage.alex.type('/cobrowse subscribe #random');
  const told = (words: string) => stage.posts(DIRECT).filter(({ text }) => text.includes(words));
  return { ...stage, told, list: () => stage.alex.type('/cobrowse subscriptions') };
}

describe('a subscription whose channel takes no posts', () => {
  it('is paused when the channel is archived, tells its owner once, and goes on when it is back', async () => {
    const { sandbox, told, list, watchAndEnd, settled, summaries } = await subscribed();
    sandbox.slack.archive({ channel: RANDOM });
    await expect.poll(() => told('is paused')).toHaveLength(1);
    expect(told('is paused')[0]?.text).toBe(
      [
        `Your subscription for <#${RANDOM}> is paused: it’s archived.`,
        'Unarchive it, or choose another channel.',
        'Subscription 1: summaries of all co-browsing sessions, in full.',
        'Resumes when it’s unarchived. I’ll tell you.',
      ].join('\n'),
    );
    expect((await list()).text).toMatch(/Paused since .*: it’s archived\./);
    // Nothing is tried there meanwhile.
    expect(await settled(await watchAndEnd(), '1')).toBe('filtered_out');
    sandbox.slack.unarchive({ channel: RANDOM });
    await expect.poll(() => told('works again')).toHaveLength(1);
    expect((await list()).text).toContain('Active.');
    await settled(await watchAndEnd({ visitorId: 'priya55' }), '1');
    expect(summaries(RANDOM)).toHaveLength(1);
    expect(told('is paused')).toHaveLength(1);
  });

  it('is paused when the app is removed, with the words for an invitation, and goes on when it is invited', async () => {
    const { sandbox, told } = await subscribed();
    sandbox.slack.changeChannel(RANDOM, { hasApp: false });
    await expect.poll(() => told('is paused')).toHaveLength(1);
    expect(told('is paused')[0]?.text).toContain(`Type /invite @Co-browse in <#${RANDOM}>.`);
    sandbox.slack.changeChannel(RANDOM, { hasApp: true });
    await expect.poll(() => told('works again')).toHaveLength(1);
  });

  it('goes on, too, where Slack couldn’t say that the app is back as it was invited', async () => {
    const { sandbox, told, list } = await subscribed({ schedulerMs: 50 });
    sandbox.slack.changeChannel(RANDOM, { hasApp: false });
    await expect.poll(() => told('is paused')).toHaveLength(1);
    sandbox.slack.fail('conversations.info', 'internal_error', 5);
    sandbox.slack.changeChannel(RANDOM, { hasApp: true });
    await expect.poll(() => told('works again')).toHaveLength(1);
    expect((await list()).text).toContain('Active.');
  });

  it('goes on under the channel’s new id, where a post was refused under the old one', async () => {
    const { sandbox, told, watchAndEnd, settled, summaries } = await subscribed({ schedulerMs: 3_600_000 });
    sandbox.slack.fail('chat.postMessage', 'channel_not_found', 1, RANDOM);
    expect(await settled(await watchAndEnd(), '1')).toContain('channel_not_found');
    await expect.poll(() => told('is paused')).toHaveLength(1);
    sandbox.slack.convert({ channel: RANDOM, newId: 'C0MOVED0001' });
    await expect.poll(() => told('<#C0MOVED0001> works again')).toHaveLength(1);
    await settled(await watchAndEnd({ visitorId: 'priya55' }), '1');
    expect(summaries('C0MOVED0001')).toHaveLength(1);
  });

  it('is paused when the channel is deleted, and never removed by itself', async () => {
    const { sandbox, told, list, settled, watchAndEnd } = await subscribed();
    sandbox.slack.deleteChannel({ channel: RANDOM });
    await expect.poll(() => told('it was deleted')).toHaveLength(1);
    expect(await settled(await watchAndEnd(), '1')).toBe('filtered_out');
    expect((await list()).text).toMatch(/Paused since .*: it was deleted\./);
  });

  it('learns it from a post that came to nothing, and from one that succeeds', async () => {
    const { sandbox, told, settled, watchAndEnd, posts, list } = await subscribed();
    const refused = await watchAndEnd({
      async meanwhile() {
        await expect.poll(() => posts(SUPPORT)).toHaveLength(1);
        sandbox.slack.fail('chat.postMessage', 'restricted_action', 1, RANDOM);
      },
    });
    expect(await settled(refused, '1')).toContain('restricted_action');
    await expect.poll(() => told('is paused')).toHaveLength(1);
    expect((await list()).text).toMatch(/Paused since .*: posting there is restricted\./);
    await settled(await watchAndEnd({ visitorId: 'priya55' }), '1');
    await expect.poll(() => told('works again')).toHaveLength(1);
    expect((await list()).text).toContain('Active.');
    expect(told('is paused')).toHaveLength(1);
  });

  it('is tried by its Resume button', async () => {
    const { sandbox, told, list, alex, posts } = await subscribed();
    sandbox.slack.archive({ channel: RANDOM });
    await expect.poll(() => told('is paused')).toHaveLength(1);
    const shown = await list();
    const still = await alex.pressFor(shown, /^Resume subscription 1/);
    expect(still.text).toContain('Subscription 1 is still paused');
    expect(still.text).toContain('it’s archived');
    sandbox.slack.fail('conversations.info', 'internal_error', 2);
    sandbox.slack.unarchive({ channel: RANDOM });
    const answer = await alex.pressFor(shown, /^Resume subscription 1/);
    expect(answer.text).toBe(`<#${RANDOM}> gets subscription 1 again.`);
    expect(posts(RANDOM).at(-1)?.text).toContain(
      `<@${ALEX}> resumed a subscription of this channel: summaries`,
    );
  });
});

describe('/cobrowse subscriptions', () => {
  it('shows a private channel to its members, and to admins only that there is one', async () => {
    const { sandbox, alex } = await openStage(withLeads);
    await alex.type('/cobrowse subscribe #leads');
    for (const member of [ALEX, SAM]) {
      const seen = await personIn(sandbox, member).type('/cobrowse subscriptions');
      expect(seen.text).toContain('1. <#C0LEADS0005>: summaries of all co-browsing sessions');
    }
    const kim = await personIn(sandbox, KIM).type('/cobrowse subscriptions');
    expect(kim.text).toContain('1 more in private channels you aren’t in.');
    const ada = await personIn(sandbox, ADA).type('/cobrowse subscriptions');
    expect(ada.text).toContain('a private channel you aren’t in: summaries of all co-browsing sessions');
    for (const { text, blocks } of [kim, ada])
      expect(`${text}${JSON.stringify(blocks)}`).not.toMatch(/leads|C0LEADS/);
  });

  it('shows fifteen, those of the channel first', async () => {
    const { sandbox, alex } = await openStage();
    await alex.type('/cobrowse subscribe all');
    for (let number = 1; number <= 15; number += 1)
      await alex.type(`/cobrowse subscribe #random tag:t${number}`);
    const { text } = await personIn(sandbox, ALEX, RANDOM).type('/cobrowse subscriptions');
    expect(text).toMatch(/^Subscriptions\n2\. .*16\. .*These are 15 of them\./s);
    expect(text).not.toContain('1. <#C0SUPPORT01>');
  });
});
