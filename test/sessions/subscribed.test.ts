import { describe, expect, it } from 'vitest';
import type { Candidate } from '../../src/sessions/subscribers.ts';
import { DAY_MS, HOUR_MS, archived, down, took, startStage, sessionIn } from '../outbox/stage.ts';
import { alexInSupport } from './ended-session.ts';

const RANDOM = 'C0RANDOM003';
const there = (id: string): Candidate => ({ id, channelId: RANDOM });

describe('what goes to subscribed channels', () => {
  it('is delayed if nobody can say whether it’s wanted, holds up no other, and fails after three days', async () => {
    const stage = await startStage({
      subscribers: {
        candidates: async (_session, ownPlace) => (ownPlace === RANDOM ? [] : [there('1')]),
        formNow: () => Promise.reject(new Error('Slack is down')),
      },
    });
    await stage.tell('a');
    await stage.tell('b', { channelId: RANDOM });
    await stage.pass(5_000);
    expect(stage.asked.map(sessionIn).toSorted()).toEqual(['a', 'b']);
    const { entries } = await stage.overview.list(alexInSupport.workspaceId, 9);
    expect(entries).toMatchObject([{ failedAt: undefined, to: RANDOM, trouble: { kind: 'filter-unknown' } }]);
    await stage.pass(3 * DAY_MS + HOUR_MS, HOUR_MS);
    expect(await stage.overview.list(alexInSupport.workspaceId, 9)).toMatchObject({
      entries: [{ failedAt: expect.any(Number) }],
    });
  });

  const subscribers = { candidates: async () => [there('1')] };

  it('reports each refusal and the end for its channel, not to an agent', async () => {
    const stage = await startStage({
      subscribers,
      answer: ({ to }, times) => (to === RANDOM ? (times === 0 ? down : archived) : took()),
    });
    await stage.tell('a');
    await stage.pass(10_000);
    expect(stage.told).toEqual([
      [RANDOM, { outcome: 'later', reason: 'service_unavailable' }],
      [RANDOM, { outcome: 'failed', reason: 'is_archived' }],
    ]);
    expect(stage.asked.filter(({ to }) => to === alexInSupport.userId)).toEqual([]);
  });

  it('doesn’t arrive twice if reporting fails', async () => {
    const stage = await startStage({
      subscribers: { ...subscribers, onOutcome: () => Promise.reject(new Error('A mistake')) },
    });
    await stage.tell('a');
    await stage.pass(10_000);
    expect(stage.asked).toHaveLength(2);
    expect(stage.reports.filter((line) => line.includes('broken'))).toHaveLength(1);
  });

  it('never takes the card of a channel', async () => {
    const stage = await startStage({ subscribers });
    const link = { ...alexInSupport, channelId: RANDOM };
    await stage.announce(link);
    await stage.pass(2_000);
    await stage.tell('a', { linkId: 'of another link' });
    await stage.pass(3_000);
    expect(stage.asked.filter(({ replaces }) => replaces !== undefined)).toEqual([]);
  });
});
