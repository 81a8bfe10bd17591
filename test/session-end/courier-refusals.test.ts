import { describe, expect, it, vi } from 'vitest';
import type { PostOutcome } from '../../src/session-end/post.ts';
import { ALEX, SUPPORT } from '../support/person.ts';
import { openCourierStage, pass } from './courier-stage.ts';
import { deliveryOf } from './ended-session.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
const took: PostOutcome = { outcome: 'posted', ts: '1.2' };
const never = (reason: string): PostOutcome => ({ outcome: 'never', reason });

const whatToDo = {
  channel_not_found: 'Type /invite @Co-browse there',
  not_in_channel: 'Type /invite @Co-browse there',
  is_archived: 'That channel is archived.',
  restricted_action: 'Ask a workspace admin to let the app post there.',
  missing_scope: 'The app lacks the scope',
  cannot_dm_bot: 'Slack takes no direct message of the app for that person (cannot_dm_bot)',
  invalid_blocks: 'Slack answered invalid_blocks.',
} as const;

describe('a summary that its channel will never take', () => {
  it.each(Object.entries(whatToDo))(
    '(%s) goes to the agent, who is told what to do',
    async (reason, words) => {
      const { courierThat, outbox, asked, reports } = await openCourierStage();
      const courier = courierThat(({ to }) => (to === SUPPORT ? never(reason) : took));
      await courier.accept('a', deliveryOf('a', { threadTs: '1.1' }));
      await pass(10_000);
      expect(asked.map(({ to, threadTs }) => [to, threadTs])).toEqual([
        [SUPPORT, '1.1'],
        [ALEX, undefined],
      ]);
      const notice = asked[1]?.text ?? '';
      expect(notice).toContain(`This summary could not be posted in <#${SUPPORT}>.`);
      expect(notice).toContain(words);
      expect(notice).toContain('Co-browsing session ended');
      expect(notice).toContain('Duration: 1 minute 15 seconds');
      expect(reports).toEqual([`failed a ${reason}`, 'posted a:notice']);
      expect(await outbox.settlement('a')).toMatchObject({ outcome: 'failed', reason, to: SUPPORT });
      expect(await outbox.settlement('a:notice')).toMatchObject({ outcome: 'posted', to: ALEX });
    },
  );

  it('goes into the channel itself where only its thread is gone', async () => {
    const { courierThat, asked, reports } = await openCourierStage();
    const courier = courierThat(({ threadTs }) =>
      threadTs === undefined ? took : never('thread_not_found'),
    );
    await courier.accept('a', deliveryOf('a', { threadTs: '1.1' }));
    await pass(10_000);
    expect(asked.map(({ to, threadTs }) => [to, threadTs])).toEqual([
      [SUPPORT, '1.1'],
      [SUPPORT, undefined],
    ]);
    expect(reports).toEqual(['posted a']);
  });

  it('holds no other summary of the channel', async () => {
    const { courierThat, asked } = await openCourierStage();
    const courier = courierThat(({ id }) => (id === 'a' ? never('invalid_blocks') : took));
    await courier.accept('a', deliveryOf('a'));
    await courier.accept('b', deliveryOf('b'));
    await pass(10_000);
    expect(asked.map(({ id }) => id)).toEqual(['a', 'a:notice', 'b']);
  });

  it('is settled as failed where the agent cannot be told either, and tells nobody else', async () => {
    const { courierThat, outbox, stores, asked } = await openCourierStage();
    const courier = courierThat(({ to }) => never(to === SUPPORT ? 'is_archived' : 'cannot_dm_user'));
    await courier.accept('a', deliveryOf('a'));
    await pass(HOUR_MS, MINUTE_MS);
    expect(asked.map(({ to }) => to)).toEqual([SUPPORT, ALEX]);
    expect(await outbox.settlement('a')).toMatchObject({ outcome: 'failed', reason: 'is_archived' });
    expect(await outbox.settlement('a:notice')).toMatchObject({
      outcome: 'failed',
      reason: 'cannot_dm_user',
    });
    expect(await stores.waiting.keys('', 10)).toEqual([]);
    expect(courier.waiting()).toBe(0);
  });

  it('is not sent to the agent twice where it was meant for the agent', async () => {
    const { courierThat, asked, reports } = await openCourierStage();
    await courierThat(() => never('cannot_dm_user')).accept('a', deliveryOf('a', { to: ALEX }));
    await pass(HOUR_MS, MINUTE_MS);
    expect(asked).toHaveLength(1);
    expect(reports).toEqual(['failed a cannot_dm_user']);
  });

  it('is not posted by a webhook that comes again', async () => {
    const { courierThat, asked } = await openCourierStage();
    const courier = courierThat(({ to }) => (to === SUPPORT ? never('is_archived') : took));
    await courier.accept('a', deliveryOf('a'));
    await pass(10_000);
    expect(await courier.accept('a', deliveryOf('a'))).toBe('duplicate');
    await pass(HOUR_MS, MINUTE_MS);
    expect(asked).toHaveLength(2);
  });

  it('tells the agent once, where the app is killed before the failure is written down', async () => {
    const { courierThat, outbox, asked } = await openCourierStage();
    const first = courierThat(({ to }) => (to === SUPPORT ? never('is_archived') : took));
    const { notPosted } = deliveryOf('a', { notPosted: { to: SUPPORT, reason: 'is_archived' } });
    await outbox.accept('a', deliveryOf('a'));
    await outbox.accept('a:notice', deliveryOf('a', { to: ALEX, notPosted }));
    await first.start();
    await pass(HOUR_MS, MINUTE_MS);
    expect(asked.map(({ to }) => to).toSorted()).toEqual([SUPPORT, ALEX].toSorted());
    expect(await outbox.settlement('a')).toMatchObject({ outcome: 'failed' });
  });
});

describe('a summary that Slack keeps putting off', () => {
  it('is not given up at the first such answer after days of a refused token', async () => {
    const { courierThat, outbox } = await openCourierStage();
    let answer: PostOutcome = { outcome: 'never', reason: 'token_revoked' };
    const courier = courierThat(() => answer);
    await courier.accept('a', deliveryOf('a'));
    await pass(4 * DAY_MS, HOUR_MS);
    answer = { outcome: 'later', reason: 'ratelimited', afterMs: 2_000 };
    await pass(2 * MINUTE_MS);
    answer = took;
    await pass(5 * MINUTE_MS);
    expect(await outbox.settlement('a')).toMatchObject({ outcome: 'posted' });
  });

  it('is not given up at the first such answer after days in which the app was down', async () => {
    const { courierThat, outbox } = await openCourierStage();
    const first = courierThat(() => ({ outcome: 'later', reason: 'service_unavailable' }));
    await first.accept('a', deliveryOf('a'));
    await pass(MINUTE_MS);
    await first.stop();
    vi.setSystemTime(4 * DAY_MS);
    const second = courierThat((_asked, times) =>
      times < 10 ? { outcome: 'later', reason: 'ratelimited', afterMs: 2_000 } : took,
    );
    await second.start();
    await pass(5 * MINUTE_MS);
    expect(await outbox.settlement('a')).toMatchObject({ outcome: 'posted' });
    await second.stop();
  });

  it('is given up after three days, and then goes to the agent with the reason', async () => {
    const { courierThat, outbox, asked } = await openCourierStage();
    const courier = courierThat(({ to }) =>
      to === SUPPORT ? { outcome: 'later', reason: 'http_503', afterMs: HOUR_MS } : took,
    );
    await courier.accept('a', deliveryOf('a'));
    await pass(71 * HOUR_MS, 10 * MINUTE_MS);
    expect(await outbox.settlement('a')).toBeUndefined();
    await pass(3 * HOUR_MS, 10 * MINUTE_MS);
    expect(await outbox.settlement('a')).toMatchObject({ outcome: 'failed', reason: 'http_503' });
    expect(asked.at(-1)).toMatchObject({ to: ALEX });
    expect(asked.at(-1)?.text).toContain('Slack answered http_503.');
  });
});
