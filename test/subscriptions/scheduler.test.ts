import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import { createSubscriptionRepository } from '../../src/subscriptions/repository.ts';
import type { NewSubscription } from '../../src/subscriptions/repository.ts';
import { createScheduler } from '../../src/subscriptions/scheduler.ts';
import { countSessions } from '../../src/subscriptions/digest-numbers.ts';
import { engines } from '../support/engines.ts';

const DAY_MS = 24 * 3_600_000;
const NINE = Date.UTC(2026, 2, 2, 9);

/** A daily digest at nine, first due at `nextAt`, in so many processes. */
async function openSchedulers(url: string, processes: number, nextAt = NINE) {
  const databases = await Promise.all(Array.from({ length: processes }, () => openDatabase(url)));
  const [first] = databases;
  if (first === undefined) throw new Error('No process.');
  const digest: NewSubscription = {
    workspaceId: 'T1',
    channelId: 'C1',
    filters: { agents: [], groups: [], tags: [] },
    form: 'full',
    schedule: { hour: 9, minute: 0, zone: 'UTC' },
    setUpBy: 'U1',
    setUpAt: NINE - 3 * DAY_MS,
  };
  await createSubscriptionRepository(first, () => undefined).add(digest, 100, nextAt);
  let time = NINE - DAY_MS;
  const sent: number[] = [];
  const reported: unknown[] = [];
  const done: string[] = [];
  const runs = databases.map((database) =>
    createScheduler({
      repository: createSubscriptionRepository(database, () => undefined),
      count: (workspaceId, period) => countSessions(database, workspaceId, period),
      nameOf: async () => undefined,
      async send(_due, { to }, advance) {
        if ((await database.writeIf(advance)) !== undefined) sent.push(to);
      },
      write: (statement) => database.write(statement),
      jobs: [() => Promise.reject(new Error('A job failed.')), async () => void done.push('the other')],
      now: () => time,
      report: (error) => reported.push(error),
    }),
  );
  onTestFinished(async () => {
    await Promise.all(databases.map((database) => database.close()));
  });
  /** A round of each process at that time. */
  async function look(at: number): Promise<readonly number[]> {
    time = at;
    await Promise.all(runs.map((run) => run()));
    return sent;
  }
  return { look, reported, done };
}

describe.each(engines)('the digests in $engine', ({ newUrl }) => {
  it('are sent once by two processes, when what became known before their time is surely on disk', async () => {
    const { look } = await openSchedulers(await newUrl(), 2);
    expect(await look(NINE + 4_999)).toEqual([]);
    expect(await look(NINE + 5_000)).toEqual([NINE]);
    expect(await look(NINE + 60_000)).toEqual([NINE]);
    // While nobody ran, two more were due: the last one is news.
    expect(await look(NINE + 3 * DAY_MS - 60_000)).toEqual([NINE, NINE + 2 * DAY_MS]);
    expect(await look(NINE + 3 * DAY_MS + 5_000)).toHaveLength(3);
  });

  it('come again, and whole, at their time, where a clock far ahead has sent them early', async () => {
    const { look } = await openSchedulers(await newUrl(), 1);
    expect(await look(NINE + DAY_MS + 5_000)).toEqual([NINE + DAY_MS]);
    expect(await look(NINE + 60_000)).toEqual([NINE + DAY_MS]);
    expect(await look(NINE + DAY_MS + 6_000)).toEqual([NINE + DAY_MS, NINE + DAY_MS]);
    expect(await look(NINE + DAY_MS + 60_000)).toHaveLength(2);
  });
});

it('does each job where another fails, and tells of it', async () => {
  const { look, reported, done } = await openSchedulers('memory:', 1);
  await look(NINE);
  expect(reported).toEqual([new Error('A job failed.')]);
  expect(done).toEqual(['the other']);
});
