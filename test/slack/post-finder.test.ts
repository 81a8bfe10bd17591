import { describe, expect, it } from 'vitest';
import { acme } from '../../sandbox/slack/seed.ts';
import type { StandInSlack } from '../../sandbox/slack/slack.ts';
import { ALEX, SALES, SAM } from '../support/person.ts';
import { SUPPORT, inSupport, postingStage, words } from './posting-stage.ts';

const latestTs = (slack: StandInSlack, userId = ALEX) => slack.snapshot(userId).messages.at(-1)?.ts ?? '';

describe('looking for a post', () => {
  it('finds all copies in its channel by its id, oldest first, even if our clock is an hour wrong', async () => {
    const { slack, post, find } = await postingStage();
    await post(inSupport, words, 'T1:a');
    const first = latestTs(slack);
    await post(inSupport, words, 'T1:a');
    const second = latestTs(slack);
    await post(inSupport, words, 'T1:b');
    const found = { found: [first, second], channelId: SUPPORT };
    for (const hours of [-1, 0, 1])
      expect(await find(inSupport, 'T1:a', Date.now() + hours * 3_600_000)).toEqual(found);
    for (const other of ['T1:c', 'T1'])
      expect(await find(inSupport, other, Date.now())).toEqual({ found: [], channelId: SUPPORT });
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

  it('doesn’t mistake another’s message for it, whatever it carries', async () => {
    const metadata = { event_type: 'cobrowse_delivery', event_payload: { delivery: 'T1:a' } };
    const copied = { channel: SUPPORT, user: 'U0HELPDESK', text: 'A summary.', minutesAgo: 1, metadata };
    const seed = { ...acme, messages: [...acme.messages, copied] };
    const { slack, post, find } = await postingStage(undefined, seed);
    await slack.message({ as: ALEX, channel: SUPPORT, text: 'T1:a cobrowse_delivery' });
    expect(await find(inSupport, 'T1:a', Date.now())).toMatchObject({ found: [] });
    await post(inSupport, words, 'T1:a');
    expect(await find(inSupport, 'T1:a', Date.now())).toMatchObject({ found: [latestTs(slack)] });
  });

  it('is impossible without its scope, which is named, or if the app isn’t there, and waits if Slack says so', async () => {
    const scoped = await postingStage(['chat:write']);
    const noScope = { outcome: 'never', reason: 'missing_scope', neededScope: 'channels:history' };
    expect(await scoped.find(inSupport, 'T1:a', 0)).toEqual(noScope);
    const { slack, find, impatient } = await postingStage();
    const notThere = { outcome: 'never', reason: 'not_in_channel' };
    expect(await find({ ...inSupport, to: SALES }, 'T1:a', 0)).toEqual(notThere);
    slack.fail('conversations.history', { retryAfter: 60 });
    const limited = { outcome: 'later', reason: 'ratelimited', afterMs: 60_000 };
    expect(await find(inSupport, 'T1:a', 0)).toEqual(limited);
    slack.fail('conversations.history', 'hang');
    const unanswered = { outcome: 'later', reason: 'no_answer' };
    expect(await impatient.find(inSupport, 'T1:a', 0)).toMatchObject(unanswered);
  });
});
