import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLatenessWatch, secondsSince } from '../../src/session-end/lateness.ts';

type Oldest = { readonly id: string; readonly since: number; readonly isInTurn: boolean };

function watching() {
  const state: { oldest: Oldest | undefined } = { oldest: undefined };
  const reports: string[] = [];
  const watch = createLatenessWatch({
    oldest: () => state.oldest,
    report: (lateness, oldest) => void reports.push(`${lateness} ${oldest?.id} ${oldest?.seconds}`),
    now: Date.now,
  });
  watch.start();
  return { state, reports, watch };
}

describe('the watch over summaries that wait', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0 }));
  afterEach(() => void vi.useRealTimers());

  it('tells once when the oldest is over a minute old, and once when it is over', async () => {
    const { state, reports } = watching();
    state.oldest = { id: 'a', since: 0, isInTurn: false };
    await vi.advanceTimersByTimeAsync(60_000);
    expect(reports).toEqual([]);
    await vi.advanceTimersByTimeAsync(60 * 60_000);
    expect(reports).toEqual(['held a 65']);
    state.oldest = undefined;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(reports).toEqual(['held a 65', 'none undefined undefined']);
  });

  it('tells a backlog that goes out in turn from one that is held', async () => {
    const { state, reports } = watching();
    state.oldest = { id: 'a', since: 0, isInTurn: true };
    await vi.advanceTimersByTimeAsync(70_000);
    state.oldest = { id: 'b', since: 0, isInTurn: false };
    await vi.advanceTimersByTimeAsync(70_000);
    expect(reports.map((line) => line.split(' ')[0])).toEqual(['in-turn', 'held']);
  });

  it('says nothing where each waits for a short while, however many there are', async () => {
    const { state, reports } = watching();
    for (let second = 0; second < 300; second += 5) {
      state.oldest = { id: `s${second}`, since: Date.now() - 50_000, isInTurn: true };
      await vi.advanceTimersByTimeAsync(5_000);
    }
    expect(reports).toEqual([]);
  });

  it('ends with the app', () => {
    const { watch } = watching();
    watch.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('counts nothing from before its time, where the clock was set back', () => {
    expect(secondsSince(5_000, 1_000)).toBe(0);
    expect(secondsSince(1_000, 5_400)).toBe(4);
  });
});
