import { describe, expect, it } from 'vitest';
import type { Candidate } from '../../src/sessions/subscribers.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, archived, down, took, startStage, sessionIn } from '../outbox/stage.ts';
import { alexInSupport } from './ended-session.ts';

const RANDOM = 'C0RANDOM003';
const there = (id: string, isCertain = true): Candidate => ({ id, channelId: RANDOM, isCertain });

describe('what goes to subscribed channels', () => {
  it('never keeps the session’s own place waiting, however long asking takes', async () => {
    const stage = await startStage({
      subscribers: { candidates: async () => [there('1', false)], wants: () => new Promise(() => undefined) },
    });
    await stage.tell('a');
    await stage.pass(500);
    await stage.tell('b', { channelId: RANDOM });
    await stage.pass(3_000);
    expect(stage.asked.map((asked) => `${sessionIn(asked)} in ${asked.to}`)).toEqual([
      `a in ${alexInSupport.channelId}`,
      `b in ${RANDOM}`,
    ]);
    expect(await stage.overview.waiting()).toBe(2);
  });

  it('is stored while nobody can say whether it is wanted, and fails after three days', async () => {
    const stage = await startStage({
      subscribers: {
        candidates: async () => [there('1', false)],
        wants: () => Promise.reject(new Error('The service is down')),
      },
    });
    await stage.tell('a');
    await stage.pass(2_000);
    const { entries } = await stage.overview.list(alexInSupport.workspaceId, 9);
    expect(entries).toMatchObject([{ failedAt: undefined, to: RANDOM, trouble: { kind: 'filter-unknown' } }]);
    await stage.pass(3 * DAY_MS + HOUR_MS, HOUR_MS);
    expect(await stage.overview.list(alexInSupport.workspaceId, 9)).toMatchObject({
      entries: [{ failedAt: expect.any(Number) }],
    });
  });

  it('is delayed if nobody can say whether its reader may read it, and holds up no other', async () => {
    let isKnown = false;
    const stage = await startStage({
      subscribers: {
        candidates: async (_session, ownPlace) => (ownPlace === RANDOM ? [] : [there('1')]),
        async formNow() {
          if (!isKnown) throw new Error('Slack is down');
          return { form: 'full' };
        },
      },
    });
    await stage.tell('a');
    await stage.tell('b', { channelId: RANDOM });
    await stage.pass(5_000);
    expect(stage.asked.map(sessionIn).toSorted()).toEqual(['a', 'b']);
    isKnown = true;
    await stage.pass(MINUTE_MS);
    expect(stage.asked.filter(({ to }) => to === RANDOM).map(sessionIn)).toEqual(['b', 'a']);
  });

  it('reports each refusal and the end to its subscriptions, not to an agent', async () => {
    const stage = await startStage({
      subscribers: { candidates: async () => [there('1')] },
      answer: ({ to }, times) => (to === RANDOM ? (times === 0 ? down : archived) : took()),
    });
    await stage.tell('a');
    await stage.pass(10_000);
    expect(stage.told).toEqual([
      [['1'], { outcome: 'later', reason: 'service_unavailable' }],
      [['1'], { outcome: 'failed', reason: 'is_archived' }],
    ]);
    expect(stage.asked.filter(({ to }) => to === alexInSupport.userId)).toEqual([]);
  });

  it('doesn’t arrive twice if reporting fails', async () => {
    const stage = await startStage({
      subscribers: {
        candidates: async () => [there('1')],
        onOutcome: () => Promise.reject(new Error('A mistake')),
      },
    });
    await stage.tell('a');
    await stage.pass(10_000);
    expect(stage.asked).toHaveLength(2);
    expect(stage.reports.filter((line) => line.includes('broken'))).toHaveLength(1);
  });

  it('never takes the card of a channel', async () => {
    const stage = await startStage({ subscribers: { candidates: async () => [there('1')] } });
    const link = { ...alexInSupport, channelId: RANDOM };
    await stage.announce(link);
    await stage.pass(2_000);
    await stage.tell('a', { linkId: 'of another link' });
    await stage.pass(3_000);
    expect(stage.asked.filter(({ replaces }) => replaces !== undefined)).toEqual([]);
  });
});
