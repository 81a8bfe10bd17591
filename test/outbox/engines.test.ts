import { describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { alexInSupport } from '../sessions/ended-session.ts';
import { MINUTE_MS, archived, down, limited, lost, openStage, revoked, took, startStage } from './stage.ts';

const RANDOM = 'C0RANDOM003';

describe.each(engines)('deliveries in $engine', ({ newUrl }) => {
  it('go from a session’s end to its channel, to a subscribed one, and into its thread', async () => {
    const stage = await startStage({
      url: await newUrl(),
      subscribers: {
        candidates: async () => [{ id: '1', channelId: RANDOM, isCertain: true }],
        formNow: async () => ({ form: 'thread' }),
      },
    });
    expect(await stage.tell('a')).toBe('accepted');
    expect(await stage.tell('a')).toBe('duplicate');
    await stage.pass(3_000);
    expect(
      stage.asked
        .map(({ to, threadTs }) => `${to} ${threadTs === undefined ? 'itself' : 'thread'}`)
        .toSorted(),
    ).toEqual(['C0RANDOM003 itself', 'C0RANDOM003 thread', 'C0SUPPORT01 itself']);
    expect((await stage.deliveries()).map(({ state }) => state)).toEqual(['posted', 'posted', 'posted']);
  });

  it('go into its thread though the first of the channel’s subscriptions was removed meanwhile', async () => {
    const stage = await startStage({
      url: await newUrl(),
      subscribers: {
        candidates: async () => ['1', '2'].map((id) => ({ id, channelId: RANDOM, isCertain: true })),
        formNow: async (_workspaceId, id) =>
          id === '1' && stage.asked.some(({ to }) => to === RANDOM)
            ? { skip: 'subscription_removed' }
            : { form: 'thread' },
      },
    });
    await stage.tell('a');
    await stage.pass(10_000);
    const details = (await stage.deliveries()).find(({ kind }) => kind === 'details');
    expect(details).toMatchObject({ channel_id: RANDOM, state: 'posted' });
  });

  it('are asked about outside the channel’s turn, and continue in order', async () => {
    const stage = await openStage({ url: await newUrl() });
    const answers = new Map([
      ['1', false],
      ['2', true],
    ]);
    const { tell } = await stage.start({
      subscribers: {
        candidates: async () => [
          { id: '1', channelId: RANDOM, isCertain: false },
          { id: '2', channelId: RANDOM, isCertain: false },
        ],
        wants: async (id) => answers.get(id) ?? false,
      },
    });
    await tell('a');
    await stage.pass(3_000);
    const copy = (await stage.deliveries()).find(({ channel_id: channel }) => channel === RANDOM);
    expect(copy).toMatchObject({ state: 'posted', subscriptions: '["2"]' });
  });

  it('replace their card, are tried again, fail, and are reported to the agent', async () => {
    const stage = await startStage({
      url: await newUrl(),
      answer({ to, replaces }, times) {
        if (to === RANDOM) return archived;
        return replaces !== undefined && times === 0 ? down : took();
      },
    });
    const link = { ...alexInSupport, linkId: 'link' };
    await stage.announce(link);
    await stage.pass(2_000);
    await stage.tell('a', link);
    await stage.tell('b', { ...link, linkId: 'other', channelId: RANDOM });
    await stage.pass(10_000);
    const [card, changedInVain, changed] = stage.asked.filter(({ to }) => to === alexInSupport.channelId);
    expect(card?.replaces).toBeUndefined();
    expect(changedInVain?.replaces).toBeDefined();
    expect(changed?.replaces).toBe(changedInVain?.replaces);
    expect(stage.asked.filter(({ to }) => to === alexInSupport.userId)).toHaveLength(1);
    const { entries } = await stage.overview.list(alexInSupport.workspaceId, 9);
    expect(entries).toMatchObject([{ state: 'failed', to: RANDOM, about: { visitorId: 'jane4821' } }]);
    expect(await stage.acts.retry(alexInSupport.workspaceId, entries[0]?.id ?? '')).toBe('retried');
    await stage.pass(2_000);
    expect(stage.asked.filter(({ to }) => to === RANDOM)).toHaveLength(2);
    expect(await stage.acts.drop(alexInSupport.workspaceId, entries[0]?.id ?? '', 'U1')).toBe('dropped');
    expect(await stage.overview.inTrouble()).toEqual({ waiting: 0, failed: 0 });
    expect(await stage.overview.waiting()).toBe(0);
    expect(await stage.overview.oldest()).toBeUndefined();
  });

  it('wait as Slack says, for a refused token and for a lost answer, and are looked for again', async () => {
    const answers = [limited(5), lost, revoked, took()];
    const stage = await startStage({ url: await newUrl(), answer: () => answers.shift() ?? took() });
    await stage.tell('a');
    await stage.pass(1_000);
    expect(await stage.overview.oldest(alexInSupport.workspaceId)).toMatchObject({ isInTurn: false });
    await stage.pass(3 * MINUTE_MS, 1_000);
    expect((await stage.summaryOf('a'))?.state).toBe('posted');
    expect(stage.finds.length).toBeGreaterThan(1);
    expect(stage.reports.filter((line) => line.includes('broken'))).toEqual([]);
  });
});
