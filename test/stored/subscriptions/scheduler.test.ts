import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../src/database/database.ts';
import { createIds } from '../../../src/outbox/delivery.ts';
import { createSubscriptionRepository } from '../../../src/subscriptions/repository.ts';
import { createDigests } from '../../../src/subscriptions/digests.ts';
import { newSubscription } from '../../subscriptions/new-subscription.ts';
import { engines, openForTwo } from '../../support/engines.ts';

const DAY_MS = 24 * 3_600_000;
const NINE = Date.UTC(2026, 2, 2, 9);

/** A daily digest at nine, and two processes. */
async function openSchedulers(url: string) {
  const databases = await openForTwo(url);
  const [first] = databases;
  const digest = newSubscription({ schedule: { hour: 9, minute: 0, zone: 'UTC' } });
  const repository = createSubscriptionRepository(first);
  await repository.add(digest, 100, NINE);
  let time = NINE - DAY_MS;
  const reported: unknown[] = [];
  const runs = databases.map((database, index) =>
    createDigests(
      {
        database,
        colleagueOf: async () => undefined,
        now: () => time,
        outbox: { newId: createIds(() => time + index), wake: () => undefined },
      },
      createSubscriptionRepository(database),
      (error) => reported.push(error),
    ),
  );
  /** Up to when those that are on their way count. */
  const sent = () =>
    first.read(
      sql`SELECT not_after FROM deliveries ORDER BY not_after`,
      z.object({ not_after: z.number() }).transform(({ not_after }) => not_after - DAY_MS),
    );
  /** A round of each process at that time. */
  async function look(at: number): Promise<readonly number[]> {
    time = at;
    await Promise.all(runs.map((run) => run.round()));
    expect(reported).toEqual([]);
    return sent();
  }
  return { look };
}

describe.each(engines)('the digests in $engine', ({ newUrl }) => {
  it('are sent once by two processes, when what became known before their time is surely on disk', async () => {
    const { look } = await openSchedulers(await newUrl());
    expect(await look(NINE + 4_999)).toEqual([]);
    expect(await look(NINE + 5_000)).toEqual([NINE]);
    expect(await look(NINE + 60_000)).toEqual([NINE]);
    // While nobody ran, two more were due: the last one is news.
    expect(await look(NINE + 3 * DAY_MS - 60_000)).toEqual([NINE, NINE + 2 * DAY_MS]);
    expect(await look(NINE + 3 * DAY_MS + 5_000)).toHaveLength(3);
  });
});
