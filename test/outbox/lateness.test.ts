import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLatenessWatch, type Oldest } from '../../src/outbox/overview.ts';
import { alexInSupport } from '../sessions/ended-session.ts';
import { MINUTE_MS, down, took, startStage, sessionIn } from './stage.ts';

describe('the watch over waiting summaries', () => {
  it('reports once that the oldest is over a minute old, and why, and once that it is over', async () => {
    vi.useFakeTimers({ now: 0 });
    onTestFinished(() => void vi.useRealTimers());
    const reports: string[] = [];
    let oldest: Oldest | Error | undefined = { id: 'a', since: 0, isInTurn: true };
    const watch = createLatenessWatch({
      overview: { oldest: async () => (oldest instanceof Error ? Promise.reject(oldest) : oldest) },
      report: (lateness, one) => void reports.push(`${lateness} ${one?.id} ${one?.seconds}`),
      now: Date.now,
    });
    watch.start();
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(reports).toEqual([]);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    for (const next of [
      { id: 'a', since: 0, isInTurn: false },
      new Error('The database is away'),
      undefined,
    ]) {
      oldest = next;
      await vi.advanceTimersByTimeAsync(MINUTE_MS);
    }
    await watch.stop();
    expect(reports).toEqual(['in-turn a 70', 'held a 130', 'none undefined undefined']);
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
