import { describe, expect, it } from 'vitest';
import { DatabaseError } from '../../src/database/errors.ts';
import type { Candidate } from '../../src/sessions/subscribers.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, archived, down, openStage, took } from '../outbox/stage.ts';
import { alexInSupport } from './ended-session.ts';

const RANDOM = 'C0RANDOM003';
const there = (id: string, isCertain = true): Candidate => ({ id, channelId: RANDOM, isCertain });

describe('what goes to subscribed channels', () => {
  it('is one delivery a channel, by the first of its subscriptions that wants it', async () => {
    const stage = await openStage();
    const asked: string[] = [];
    const { tell } = await stage.start({
      subscribers: {
        candidates: async () => [
          there('1', false),
          there('2', false),
          there('3'),
          { ...there('4'), channelId: 'C0SALES0002' },
        ],
        async wants(id) {
          asked.push(id);
          return id !== '1';
        },
        formNow: async (_workspaceId, id) => ({ form: id === '2' ? 'short' : 'full' }),
      },
    });
    await tell('a');
    await stage.pass(3_000);
    expect(asked).toEqual(['1', '2']);
    const posts = stage.asked.map(({ to, text }) => `${to} ${text.includes('Access: ')}`).toSorted();
    expect(posts).toEqual([`${RANDOM} false`, 'C0SALES0002 true', `${alexInSupport.channelId} true`]);
    expect(stage.outcomes.map(([ids]) => ids.join()).toSorted()).toEqual(['2,3', '4']);
  });

  it('is nothing if no subscription wants it, and nothing is reported', async () => {
    const stage = await openStage();
    const { tell } = await stage.start({
      subscribers: { candidates: async () => [there('1', false)], wants: async () => false },
    });
    await tell('a');
    await stage.pass(3_000);
    expect(stage.asked.map(({ to }) => to)).toEqual([alexInSupport.channelId]);
    expect(stage.reports).toContain('skipped a filtered_out');
  });

  it('never keeps the session’s own place waiting, however long asking takes', async () => {
    const stage = await openStage();
    const { tell, overview } = await stage.start({
      subscribers: { candidates: async () => [there('1', false)], wants: () => new Promise(() => undefined) },
    });
    await tell('a');
    await stage.pass(500);
    await tell('b', { channelId: RANDOM });
    await stage.pass(3_000);
    expect(stage.asked.map((asked) => `${stage.sessionIn(asked)} in ${asked.to}`)).toEqual([
      `a in ${alexInSupport.channelId}`,
      `b in ${RANDOM}`,
    ]);
    expect(await overview.waiting()).toBe(2);
  });

  it('is stored while nobody can say whether it is wanted, and fails after three days', async () => {
    const stage = await openStage();
    const { tell, overview } = await stage.start({
      subscribers: {
        candidates: async () => [there('1', false)],
        wants: () => Promise.reject(new Error('The service is down')),
      },
    });
    await tell('a');
    await stage.pass(2_000);
    const { entries } = await overview.list(alexInSupport.workspaceId, 9);
    expect(entries).toMatchObject([{ state: 'waiting', to: RANDOM, trouble: { kind: 'filter-unknown' } }]);
    await stage.pass(3 * DAY_MS + HOUR_MS, 5 * MINUTE_MS);
    expect(await overview.list(alexInSupport.workspaceId, 9)).toMatchObject({
      entries: [{ state: 'failed' }],
    });
  });

  it('is asked about again silently if our own database failed', async () => {
    const stage = await openStage();
    let times = 0;
    const { tell, overview } = await stage.start({
      subscribers: {
        candidates: async () => [there('1', false)],
        async wants() {
          if ((times += 1) === 1) throw new DatabaseError('locked');
          return true;
        },
      },
    });
    await tell('a');
    await stage.pass(1_000);
    expect((await overview.list(alexInSupport.workspaceId, 9)).entries).toEqual([]);
    await stage.pass(5_000);
    expect(stage.asked).toHaveLength(2);
  });

  it('is left out if its subscription ended before the post, and continues with the next of its channel', async () => {
    const stage = await openStage();
    const { tell } = await stage.start({
      subscribers: {
        candidates: async () => [there('1'), there('2'), { ...there('3'), channelId: 'C0SALES0002' }],
        formNow: async (_workspaceId, id) =>
          id === '2' ? { form: 'full' } : { skip: 'subscription_removed' },
      },
    });
    await tell('a');
    await stage.pass(5_000);
    expect(stage.asked.map(({ to }) => to).toSorted()).toEqual([RANDOM, alexInSupport.channelId]);
    expect(stage.outcomes.map(([ids, { outcome }]) => `${ids.join()} ${outcome}`).toSorted()).toEqual([
      '1 skipped',
      '2 posted',
      '3 skipped',
    ]);
  });

  it('is delayed if nobody can say whether its reader may read it, and holds up no other', async () => {
    const stage = await openStage();
    let isKnown = false;
    const { tell } = await stage.start({
      subscribers: {
        candidates: async (_session, ownPlace) => (ownPlace === RANDOM ? [] : [there('1')]),
        async formNow() {
          if (!isKnown) throw new Error('Slack is down');
          return { form: 'full' };
        },
      },
    });
    await tell('a');
    await tell('b', { channelId: RANDOM });
    await stage.pass(5_000);
    expect(stage.asked.map((asked) => stage.sessionIn(asked)).toSorted()).toEqual(['a', 'b']);
    isKnown = true;
    await stage.pass(MINUTE_MS, 1_000);
    expect(stage.asked.filter(({ to }) => to === RANDOM).map((asked) => stage.sessionIn(asked))).toEqual([
      'b',
      'a',
    ]);
  });

  it('reports each refusal and the end to its subscriptions, not to an agent', async () => {
    const stage = await openStage();
    const { tell } = await stage.start({
      subscribers: { candidates: async () => [there('1')] },
      answer: ({ to }, times) => (to === RANDOM ? (times === 0 ? down : archived) : took()),
    });
    await tell('a');
    await stage.pass(10_000);
    expect(stage.outcomes).toEqual([
      [['1'], { outcome: 'later', reason: 'service_unavailable' }],
      [['1'], { outcome: 'failed', reason: 'is_archived' }],
    ]);
    expect(stage.asked.filter(({ to }) => to === alexInSupport.userId)).toEqual([]);
  });

  it('doesn’t arrive twice if reporting fails', async () => {
    const stage = await openStage();
    const { tell } = await stage.start({
      subscribers: {
        candidates: async () => [there('1')],
        onOutcome: () => Promise.reject(new Error('A mistake')),
      },
    });
    await tell('a');
    await stage.pass(10_000);
    expect(stage.asked).toHaveLength(2);
    expect(stage.reports.filter((line) => line.includes('broken'))).toHaveLength(1);
  });

  it('never takes the card of a channel', async () => {
    const stage = await openStage();
    const { tell, announce } = await stage.start({ subscribers: { candidates: async () => [there('1')] } });
    const link = { ...alexInSupport, channelId: RANDOM };
    await announce(link);
    await stage.pass(2_000);
    await tell('a', { linkId: 'of another link' });
    await stage.pass(3_000);
    expect(stage.asked.filter(({ replaces }) => replaces !== undefined)).toEqual([]);
  });
});
