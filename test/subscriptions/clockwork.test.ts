import { expect, it, onTestFinished } from 'vitest';
import type { Subscription } from '../../src/grants/subscription.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createSubscriptionBook } from '../../src/subscriptions/book.ts';
import { createClockwork } from '../../src/subscriptions/clockwork.ts';

const DAY_MS = 24 * 3_600_000;
const NINE = Date.UTC(2026, 2, 2, 9);

/** The clockwork with a daily digest at nine, set up three days ago, that has looked at the clock once more with each `look`. */
async function openClockwork(more: Partial<Subscription> = {}) {
  const storage = await openStorage('memory:');
  onTestFinished(() => storage.close());
  const book = createSubscriptionBook(storage.store('subscriptions'), () => undefined);
  await book.add({
    workspaceId: 'T1',
    channelId: 'C1',
    filters: { agents: [], groups: [], tags: [] },
    form: 'full',
    schedule: { hour: 9, minute: 0, zone: 'UTC' },
    setUpBy: 'U1',
    setUpAt: NINE - 3 * DAY_MS,
    ...more,
  });
  let time = NINE;
  const periods: number[] = [];
  const reported: unknown[] = [];
  const clockwork = createClockwork({
    book,
    facts: { between: async () => [] },
    nameOf: async () => undefined,
    send: async (_subscription, { to }) => void periods.push(to),
    chores: [() => Promise.reject(new Error('A chore failed.')), async () => void (rounds += 1)],
    now: () => time,
    report: (error) => reported.push(error),
    everyMs: 1,
  });
  let rounds = 0;
  clockwork.start();
  onTestFinished(() => clockwork.stop());
  /** Resolves after a whole round at that time. */
  async function look(at: number): Promise<readonly number[]> {
    time = at;
    const before = rounds;
    await expect.poll(() => rounds).toBeGreaterThan(before + 1);
    return periods;
  }
  return { look, reported };
}

it('sends a digest once what became known before its time is surely on disk', async () => {
  const { look } = await openClockwork({ doneUntil: NINE - DAY_MS });
  expect(await look(NINE + 4_999)).toEqual([]);
  expect(await look(NINE + 5_000)).toEqual([NINE]);
  expect(await look(NINE + 6_000)).toEqual([NINE]);
});

it('goes on with a digest that was seen to by a clock which has been put back since', async () => {
  const { look } = await openClockwork({ doneUntil: NINE + 2 * DAY_MS });
  expect(await look(NINE + 60_000)).toEqual([NINE]);
});

it('does each chore where another fails, and tells of it', async () => {
  const { look, reported } = await openClockwork();
  await look(NINE);
  expect(reported[0]).toEqual(new Error('A chore failed.'));
});
