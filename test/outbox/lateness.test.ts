import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLatenessWatch } from '../../src/outbox/lateness.ts';
import { alexInSupport } from '../sessions/ended-session.ts';
import { MINUTE_MS, down, took, startStage, sessionIn } from './stage.ts';

type OldestNow = { readonly id: string; readonly since: number; readonly isInTurn: boolean } | undefined;

function watching() {
  const reports: string[] = [];
  const now: { oldest: OldestNow | Error } = { oldest: undefined };
  const watch = createLatenessWatch({
    overview: {
      async oldest() {
        if (now.oldest instanceof Error) throw now.oldest;
        return now.oldest;
      },
    },
    report: (lateness, oldest) =>
      void reports.push(`${lateness} ${oldest?.id ?? 'none'} ${oldest?.seconds ?? 0}`),
    now: Date.now,
  });
  watch.start();
  return { reports, now, watch };
}

describe('the watch over waiting summaries', () => {
  beforeEach(() => vi.useFakeTimers({ now: 0 }));
  afterEach(() => vi.useRealTimers());

  it('reports once that the oldest is over a minute old, and why, and once that it is over', async () => {
    const { reports, now, watch } = watching();
    now.oldest = { id: 'a', since: 0, isInTurn: true };
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(reports).toEqual([]);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    now.oldest = { id: 'a', since: 0, isInTurn: false };
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    now.oldest = new Error('The database is away');
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    now.oldest = undefined;
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    await watch.stop();
    expect(reports).toEqual(['in-turn a 70', 'held a 130', 'none none 0']);
  });
});

describe('the delivery that has waited longest', () => {
  it('only waits for its turn while nothing failed and its channel accepts posts', async () => {
    const stage = await startStage({
      answer: (asked) => (sessionIn(asked) === 'bad' ? down : took()),
    });
    for (const id of ['a', 'b', 'c', 'd']) await stage.tell(id);
    await stage.settle();
    expect(await stage.overview.oldest()).toMatchObject({ isInTurn: true });
    expect(await stage.overview.waiting(alexInSupport.workspaceId)).toBe(3);
    await stage.tell('bad', { channelId: 'C0SALES0002' });
    await stage.pass(10_000);
    expect(await stage.overview.oldest()).toMatchObject({ isInTurn: false });
    expect(await stage.overview.waiting()).toBe(1);
  });
});
