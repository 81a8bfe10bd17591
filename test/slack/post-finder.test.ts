import { describe, expect, it } from 'vitest';
import { acme } from '../../sandbox/slack/seed.ts';
import type { StandInSlack } from '../../sandbox/slack/slack.ts';
import { ALEX, SALES, SAM } from '../support/person.ts';
import { SUPPORT, inSupport, postingStage, words } from './posting-stage.ts';

const latestTs = (slack: StandInSlack, userId = ALEX) => slack.snapshot(userId).messages.at(-1)?.ts ?? '';

describe('looking for a post', () => {
  it('finds it in its channel by its id, and no other', async () => {
    const { slack, post, find } = await postingStage();
    await post(inSupport, words, 'T1:a');
    const ts = latestTs(slack);
    await post(inSupport, words, 'T1:b');
    expect(await find(inSupport, 'T1:a', Date.now())).toEqual({ found: [ts], channelId: SUPPORT });
    expect(await find(inSupport, 'T1:c', Date.now())).toEqual({ found: [], channelId: SUPPORT });
    expect(await find(inSupport, 'T1', Date.now())).toMatchObject({ found: [] });
  });

  it('finds all copies, oldest first', async () => {
    const { slack, post, find } = await postingStage();
    await post(inSupport, words, 'T1:a');
    const first = latestTs(slack);
    await post(inSupport, words, 'T1:a');
    expect(await find(inSupport, 'T1:a', Date.now())).toMatchObject({ found: [first, latestTs(slack)] });
  });

  it('finds it in its thread, or in the channel if the thread is gone', async () => {
    const { slack, post, find } = await postingStage();
    const threadTs = slack.snapshot(ALEX).messages.find(({ channel }) => channel === SUPPORT)?.ts ?? '';
    await post({ ...inSupport, threadTs }, words, 'T1:a');
    const inThread = latestTs(slack);
    await post(inSupport, words, 'T1:b');
    const inChannel = latestTs(slack);
    const gone = { ...inSupport, threadTs: '1111111111.000100' };
    expect(await find({ ...inSupport, threadTs }, 'T1:a', Date.now())).toMatchObject({ found: [inThread] });
    expect(await find(gone, 'T1:b', Date.now())).toMatchObject({ found: [inChannel] });
  });

  it('finds a direct message, which was addressed to a person', async () => {
    const { slack, post, find } = await postingStage();
    const toSam = { ...inSupport, to: SAM };
    await post(toSam, words, 'T1:a');
    const sent = slack.snapshot(SAM).messages.at(-1);
    expect(await find(toSam, 'T1:a', Date.now())).toEqual({ found: [sent?.ts], channelId: sent?.channel });
  });

  it('finds it after many newer messages, behind another page, and if our clock is hours wrong', async () => {
    const { slack, post, find } = await postingStage();
    await post(inSupport, words, 'T1:a');
    const ts = latestTs(slack);
    const hour = 3_600_000;
    expect(await find(inSupport, 'T1:a', Date.now() + hour)).toMatchObject({ found: [ts] });
    for (let other = 0; other < 120; other += 1) await post(inSupport, words, `T1:other-${other}`);
    expect(await find(inSupport, 'T1:a', Date.now() - hour)).toMatchObject({ found: [ts] });
    const pages = slack.calls.filter(({ method }) => method === 'conversations.history');
    expect(pages).toHaveLength(3);
  });

  it('doesn’t mistake somebody else’s message for it', async () => {
    const { slack, find } = await postingStage();
    await slack.message({ as: ALEX, channel: SUPPORT, text: 'T1:a cobrowse_delivery' });
    expect(await find(inSupport, 'T1:a', Date.now())).toMatchObject({ found: [] });
  });

  it('doesn’t mistake another app’s message for it, whatever it carries', async () => {
    const metadata = { event_type: 'cobrowse_delivery', event_payload: { delivery: 'T1:a' } };
    const copied = { channel: SUPPORT, user: 'U0HELPDESK', text: 'A summary.', minutesAgo: 1, metadata };
    const seed = { ...acme, messages: [...acme.messages, copied] };
    const { slack, post, find } = await postingStage(undefined, seed);
    expect(await find(inSupport, 'T1:a', Date.now())).toMatchObject({ found: [] });
    await post(inSupport, words, 'T1:a');
    expect(await find(inSupport, 'T1:a', Date.now())).toMatchObject({ found: [latestTs(slack)] });
  });

  it('is impossible without its scope, which is named', async () => {
    const { find } = await postingStage(['chat:write']);
    expect(await find(inSupport, 'T1:a', 0)).toMatchObject({ outcome: 'never', reason: 'missing_scope' });
    expect(await find(inSupport, 'T1:a', 0)).toHaveProperty('neededScope');
  });

  it('is impossible if the app isn’t there, and waits if Slack says so', async () => {
    const { slack, find, impatient } = await postingStage();
    expect(await find({ ...inSupport, to: SALES }, 'T1:a', 0)).toEqual({
      outcome: 'never',
      reason: 'not_in_channel',
    });
    slack.fail('conversations.history', { retryAfter: 60 });
    expect(await find(inSupport, 'T1:a', 0)).toEqual({
      outcome: 'later',
      reason: 'ratelimited',
      afterMs: 60_000,
    });
    slack.fail('conversations.history', 'hang');
    expect(await impatient.find(inSupport, 'T1:a', 0)).toMatchObject({
      outcome: 'later',
      reason: 'no_answer',
    });
  });
});

describe('removing a post', () => {
  it('removes it, and accepts that one is already gone', async () => {
    const { slack, post, unpost } = await postingStage();
    await post(inSupport, words, 'T1:a');
    const ts = latestTs(slack);
    const place = { workspaceId: 'T0ACME00000', channelId: SUPPORT };
    expect(await unpost(place, ts)).toBe('gone');
    expect(slack.snapshot(ALEX).messages.some((message) => message.ts === ts)).toBe(false);
    expect(await unpost(place, ts)).toBe('gone');
  });

  it('is refused for somebody else’s message, and delayed if Slack fails', async () => {
    const { slack, unpost } = await postingStage();
    await slack.message({ as: ALEX, channel: SUPPORT, text: 'mine' });
    const place = { workspaceId: 'T0ACME00000', channelId: SUPPORT };
    expect(await unpost(place, latestTs(slack))).toBe('never');
    slack.fail('chat.delete', { status: 503 });
    expect(await unpost(place, latestTs(slack))).toBe('later');
  });
});
