import { describe, expect, it } from 'vitest';
import type { FindPosts, PostOutcome } from '../../src/session-end/post.ts';
import { SUPPORT } from '../support/person.ts';
import { openCourierStage, pass } from './courier-stage.ts';
import { deliveryOf } from './ended-session.ts';

const LEASE_MS = 30_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const took: PostOutcome = { outcome: 'posted', ts: '1.2' };
const lost: PostOutcome = { outcome: 'later', reason: 'no_answer', unclear: true };
const found: FindPosts = async ({ to }) => ({ found: ['1.1'], channelId: to });

describe('a summary whose post got no answer', () => {
  it('is looked for, and not posted again where it is found', async () => {
    const { courierThat, outbox, asked, told, suspects } = await openCourierStage();
    await courierThat(() => lost, { find: found }).accept('a', deliveryOf('a'));
    await pass(HOUR_MS, MINUTE_MS);
    expect(asked).toHaveLength(1);
    expect(await outbox.settlement('a')).toMatchObject({ outcome: 'posted', ts: '1.1' });
    expect(told.at(-1)?.[1]).toEqual({ outcome: 'posted' });
    // The one found may be the second of two.
    expect(suspects).toEqual(['a']);
  });

  it('is posted again where it is not found, and looked for once more later', async () => {
    const { courierThat, asked, finds, suspects } = await openCourierStage();
    const courier = courierThat((_asked, times) => (times === 0 ? lost : took));
    await courier.accept('a', deliveryOf('a'));
    await pass(MINUTE_MS);
    expect(asked).toHaveLength(2);
    expect(finds).toEqual([`a in ${SUPPORT}`]);
    expect(suspects).toEqual(['a']);
  });

  it('is not posted while it cannot be looked whether it is there', async () => {
    const { courierThat, asked, reports } = await openCourierStage();
    let looks = 0;
    const find: FindPosts = async () => {
      looks += 1;
      if (looks === 1) return { outcome: 'later', reason: 'ratelimited', afterMs: 2 * MINUTE_MS };
      return { found: [], channelId: SUPPORT };
    };
    const courier = courierThat(({ id }, times) => (id === 'a' && times === 0 ? lost : took), { find });
    await courier.accept('a', deliveryOf('a'));
    await courier.accept('b', deliveryOf('b'));
    await pass(MINUTE_MS);
    // What Slack says of reading the channel's history holds no post in it.
    expect(asked.map(({ id }) => id)).toEqual(['a', 'b']);
    await pass(3 * MINUTE_MS);
    expect(asked.map(({ id }) => id)).toEqual(['a', 'b', 'a']);
    expect(reports).toContain('later a ratelimited');
  });

  it('is posted again where not all could be looked through, and it is said that it may come twice', async () => {
    const { courierThat, asked, blind, suspects } = await openCourierStage();
    const courier = courierThat((_asked, times) => (times === 0 ? lost : took), {
      find: async ({ to }) => ({ found: [], channelId: to, isPartial: true }),
    });
    await courier.accept('a', deliveryOf('a'));
    await pass(MINUTE_MS);
    expect(asked).toHaveLength(2);
    expect(blind).toEqual(['too_much_said undefined']);
    expect(suspects).toEqual(['a']);
  });

  it('is posted again where the app may not look, and it is said which scope is missing', async () => {
    const { courierThat, asked, blind, suspects } = await openCourierStage();
    const courier = courierThat((_asked, times) => (times === 0 ? lost : took), {
      find: async () => ({ outcome: 'never', reason: 'missing_scope', neededScope: 'channels:history' }),
    });
    await courier.accept('a', deliveryOf('a'));
    await pass(MINUTE_MS);
    expect(asked).toHaveLength(2);
    expect(blind).toEqual(['missing_scope channels:history']);
    expect(suspects).toEqual([]);
  });

  it('is looked for still after a clear refusal of the second post: the first may come yet', async () => {
    const { courierThat, asked, finds } = await openCourierStage();
    const outcomes: readonly PostOutcome[] = [
      lost,
      { outcome: 'later', reason: 'ratelimited', afterMs: 5_000 },
    ];
    const courier = courierThat((_asked, times) => outcomes[times] ?? took);
    await courier.accept('a', deliveryOf('a'));
    await pass(MINUTE_MS);
    expect(asked).toHaveLength(3);
    expect(finds).toHaveLength(2);
  });

  it('is looked for by the process that comes after a kill, too', async () => {
    const { courierThat, asked, outbox } = await openCourierStage();
    const first = courierThat(() => lost);
    await first.accept('a', deliveryOf('a'));
    await pass(0);
    await first.stop();
    await courierThat(() => took, { find: found }).start();
    await pass(MINUTE_MS);
    expect(asked).toHaveLength(1);
    expect(await outbox.settlement('a')).toMatchObject({ outcome: 'posted', ts: '1.1' });
  });
});

describe('a summary whose app was killed in the middle of the post', () => {
  it('is found by the next, and not posted again', async () => {
    const { courierThat, outbox, asked } = await openCourierStage();
    await outbox.accept('a', deliveryOf('a'));
    await outbox.claim('a', LEASE_MS);
    await courierThat(() => took, { find: found }).start();
    await pass(2 * MINUTE_MS);
    expect(asked).toEqual([]);
    expect(await outbox.settlement('a')).toMatchObject({ outcome: 'posted', ts: '1.1' });
  });

  it('is not looked for where every attempt before had a clear answer', async () => {
    const { courierThat, finds, asked } = await openCourierStage();
    const courier = courierThat((_asked, times) =>
      times < 3 ? { outcome: 'later', reason: 'ratelimited', afterMs: 1_000 } : took,
    );
    await courier.accept('a', deliveryOf('a'));
    await pass(MINUTE_MS);
    expect(asked).toHaveLength(4);
    expect(finds).toEqual([]);
  });

  it('leaves nothing behind once it is settled', async () => {
    const { courierThat, outbox, stores } = await openCourierStage();
    await outbox.accept('a', deliveryOf('a'));
    await outbox.claim('a', LEASE_MS);
    await courierThat(() => took, { find: found }).start();
    await pass(2 * MINUTE_MS);
    for (const store of [stores.waiting, stores.claims, stores.begun])
      expect(await store.keys('', 9)).toEqual([]);
  });
});

describe('a card whose change got no answer', () => {
  it('is changed again without a look: a change cannot double', async () => {
    const { courierThat, asked, finds } = await openCourierStage();
    const courier = courierThat(
      ({ replaces }, times) => (replaces !== undefined && times === 0 ? lost : took),
      {
        cards: { take: async () => ({ ts: '9.9' }) },
      },
    );
    await courier.accept('a', deliveryOf('a'));
    await pass(MINUTE_MS);
    expect(asked.map(({ replaces, threadTs }) => [replaces, threadTs])).toEqual([
      ['9.9', undefined],
      ['9.9', undefined],
      [undefined, '9.9'],
    ]);
    expect(finds).toEqual([]);
  });
});
