import { describe, expect, it } from 'vitest';
import type { ChartBlock } from '../../src/messages/chart.ts';
import { alexInSupport, endedSession } from '../sessions/ended-session.ts';
import { webhooksOf } from '../sessions/webhook-stage.ts';
import { ALEX, SAM, SUPPORT, personIn } from '../support/person.ts';
import { sqlite } from '../support/engines.ts';
import { writeSettings } from '../support/settings-values.ts';
import { DAY_MS, HOUR_MS, openClock } from './digest-clock.ts';
import { RANDOM } from './stage.ts';

const DIRECT = 'D0ALEX00001';
it('/cobrowse digest takes the place of the one that the channel has, and ends by off', async () => {
  const { alex, posts } = await openClock();
  const { text: set } = await alex.type('/cobrowse digest daily 09:00');
  expect(set).toContain('gets a digest of all co-browsing sessions daily at 9:00 AM Amsterdam time.');
  expect((await alex.type('/cobrowse digest daily 9')).text).toContain('already gets a digest');
  const before = 'It replaces subscription 1: a digest of all co-browsing sessions daily at 9:00 AM';
  expect((await alex.type('/cobrowse digest daily 10:00')).text).toContain(before);
  expect(posts(SUPPORT).at(-1)?.text).toContain(before);
  const { text } = await alex.type('/cobrowse subscriptions');
  expect(text).toContain('daily at 10:00 AM');
  expect(text).not.toContain('daily at 9:00 AM');
  await alex.type('/cobrowse subscribe short');
  expect((await alex.type('/cobrowse digest off')).text).toContain('no longer gets a digest');
  expect((await alex.type('/cobrowse digest off')).text).toContain('No digest is set up for');
  expect((await alex.type('/cobrowse subscriptions')).text).toContain('in short');
});

it('who may have a digest is who may see usage, and in direct messages only as long as they may', async () => {
  const stage = await openClock({ storeUrl: await sqlite.newUrl() });
  const { alex, sandbox, pass, watchAndEnd, digests, settledDigest } = stage;
  await personIn(sandbox, ALEX, DIRECT).type('/cobrowse digest daily 09:00');
  await watchAndEnd();
  await writeSettings(sandbox, { rules: { usage: { members: false, ids: [] } } });
  const refused = await alex.type('/cobrowse digest #random daily 09:00');
  expect(refused.text).toContain('You don’t have permission');
  expect((await alex.type('/cobrowse subscriptions')).text).not.toContain(`<#${RANDOM}>`);
  pass(2 * HOUR_MS);
  expect(await settledDigest()).toContain('reader_may_not');
  expect(digests(DIRECT)).toEqual([]);
  const ended = await personIn(sandbox, ALEX, DIRECT).type('/cobrowse digest off');
  expect(ended.text).toContain('no longer gets a digest');
});

describe('a digest', () => {
  it('counts a session of a link, whatever was told of its id with another link’s ticket', async () => {
    const { alex, sandbox, pass, digests } = await openClock();
    await alex.type('/cobrowse digest #random daily 09:00');
    const webhooks = webhooksOf(sandbox);
    const mine = webhooks.address({ ...alexInSupport, linkId: 'mine' }, DAY_MS);
    const theirs = { ...alexInSupport, userId: SAM, visitorId: 'priya55', linkId: 'theirs' };
    await webhooks.send(endedSession('s1', { visitor_id: 'nobody', length_seconds: 36_000 }), { to: mine });
    const truly = endedSession('s1', { length_seconds: 60, metadata: { slack_link: 'theirs' } });
    await webhooks.send(truly, { to: webhooks.address(theirs, DAY_MS) });
    // One that is no number takes none away.
    await webhooks.send(endedSession('s2', { length_seconds: 1e308 }), { to: mine });
    await webhooks.send(endedSession('s3', { length_seconds: 1e308 }), { to: mine });
    pass(2 * HOUR_MS);
    await expect.poll(() => digests()).toHaveLength(1);
    expect(digests()[0]?.text).toContain('Sam Lee (1 session)');
  });

  it('comes once at its time, with the numbers of the day in words and as a chart', async () => {
    const { alex, pass, watchToReport, digests, looked } = await openClock();
    await alex.type('/cobrowse digest #random daily 09:00');
    await watchToReport();
    pass(30 * 60_000);
    await watchToReport({ visitorId: 'priya55' });
    await watchToReport({ as: SAM });
    await looked();
    expect(digests()).toEqual([]);
    pass(HOUR_MS);
    await expect.poll(() => digests()).toHaveLength(1);
    const [digest] = digests();
    expect(digest?.text).toBe(
      [
        'Daily co-browsing digest',
        'Thursday, November 19 at 9:00 AM to Friday, November 20 at 9:00 AM Amsterdam time',
        'Sessions: 3',
        'Time in sessions: 0 seconds',
        'Agents: Alex Rivera (2 sessions), Sam Lee (1 session)',
        'No tools used',
      ].join('\n'),
    );
    const chart: ChartBlock = JSON.parse(JSON.stringify(digest?.blocks.at(-1)));
    expect(chart.chart.series[0]?.data.map(({ label, value }) => `${label} ${value}`)).toEqual([
      '09:00 0',
      '12:00 0',
      '15:00 0',
      '18:00 0',
      '21:00 0',
      '00:00 0',
      '03:00 0',
      '06:00 3',
    ]);
    await looked();
    expect(digests()).toHaveLength(1);
    pass(DAY_MS);
    await expect.poll(() => digests()).toHaveLength(2);
    expect(digests()[1]?.text).toBe(
      [
        'Daily co-browsing digest',
        'Friday, November 20 at 9:00 AM to Saturday, November 21 at 9:00 AM Amsterdam time\nNo co-browsing sessions ended.',
      ].join('\n'),
    );
  });

  it('comes late where the app was down, and not at all a day later, with a line in the log', async () => {
    const { alex, pass, digests, logLines, looked } = await openClock();
    await alex.type('/cobrowse digest #random weekly friday 09:00');
    pass(20 * HOUR_MS);
    await expect.poll(() => digests()).toHaveLength(1);
    pass(9 * DAY_MS);
    await expect.poll(() => logLines.some((line) => line.includes('too_late'))).toBe(true);
    await looked();
    expect(digests()).toHaveLength(1);
  });

  it('comes in words where Slack refuses the chart, and so do those of the day after it', async () => {
    const { alex, sandbox, pass, digests, summaries } = await openClock();
    await alex.type('/cobrowse digest #random daily 09:00');
    const webhooks = webhooksOf(sandbox);
    await webhooks.send(endedSession('s1'), { to: webhooks.address(alexInSupport, DAY_MS) });
    await expect.poll(() => summaries(SUPPORT)).toHaveLength(1);
    sandbox.slack.fail('chat.postMessage', 'invalid_blocks', 1, RANDOM);
    pass(2 * HOUR_MS);
    await expect.poll(() => digests()).toHaveLength(1);
    expect(digests()[0]?.text).toContain('Sessions: 1');
    const hasChart = ({ blocks }: ReturnType<typeof digests>[number]) =>
      JSON.stringify(blocks).includes('data_visualization');
    expect(digests().map(hasChart)).toEqual([false]);
    // Its time comes once more before the day is over.
    await alex.type('/cobrowse digest #random daily 10:30');
    await webhooks.send(endedSession('s2'), { to: webhooks.address(alexInSupport, DAY_MS) });
    await expect.poll(() => summaries(SUPPORT)).toHaveLength(2);
    pass(HOUR_MS);
    await expect.poll(() => digests()).toHaveLength(2);
    expect(digests().map(hasChart)).toEqual([false, false]);
  });
});
