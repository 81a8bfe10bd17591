import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../src/database/database.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { createIds } from '../../../src/outbox/delivery.ts';
import { createSubscriptionRepository } from '../../../src/subscriptions/repository.ts';
import { createDigests, sendDigest } from '../../../src/subscriptions/digests.ts';
import { newSubscription } from '../../subscriptions/new-subscription.ts';
import { engines } from '../../support/engines.ts';

const DAY_MS = 24 * 3_600_000;
const NINE = Date.UTC(2026, 2, 2, 9);

/** A daily digest at nine in each workspace, and so many processes. */
async function openSchedulers(url: string, processes: number, workspaceIds: readonly string[] = ['T1']) {
  const databases = await Promise.all(Array.from({ length: processes }, () => openDatabase(url)));
  const [first] = databases;
  if (first === undefined) throw new Error('No process.');
  const digest = newSubscription({ schedule: { hour: 9, minute: 0, zone: 'UTC' } });
  const repository = createSubscriptionRepository(first, () => undefined);
  // A few at a time: a thousand at once may take longer than a write may, beside other work.
  for (let from = 0; from < workspaceIds.length; from += 20) {
    const some = workspaceIds.slice(from, from + 20);
    await Promise.all(some.map((workspaceId) => repository.add({ ...digest, workspaceId }, 100, NINE)));
  }
  let time = NINE - DAY_MS;
  const reported: unknown[] = [];
  /** What each workspace's numbers wait for. */
  const waits = new Map<string, Promise<void>>();
  const counting = { now: 0, most: 0 };
  const runs = databases.map((database, index) =>
    createDigests(
      {
        database,
        colleagueOf: async () => undefined,
        now: () => time,
        outbox: { newId: createIds(() => time + index), wake: () => undefined },
      },
      createSubscriptionRepository(database, () => undefined),
      (error) => reported.push(error),
      async (app, due, until) => {
        counting.now += 1;
        counting.most = Math.max(counting.most, counting.now);
        await waits.get(due.workspaceId);
        counting.now -= 1;
        await sendDigest(app, due, until);
      },
    ),
  );
  /** Up to when those that are on their way count. */
  const sent = () =>
    first.read(
      sql`SELECT not_after FROM deliveries ORDER BY not_after`,
      z.object({ not_after: z.number() }).transform(({ not_after }) => not_after - DAY_MS),
    );
  onTestFinished(async () => {
    await Promise.all(databases.map((database) => database.close()));
  });
  /** A round of each process at that time. */
  async function look(at: number): Promise<readonly number[]> {
    time = at;
    await Promise.all(runs.map((run) => run.round()));
    expect(reported).toEqual([]);
    return sent();
  }
  return { look, waits, sent, counting };
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

  it('wait for no other workspace, though one takes long', async () => {
    const { look, waits, sent } = await openSchedulers(await newUrl(), 1, ['T1', 'T2', 'T3']);
    const { promise: slow, resolve } = Promise.withResolvers<void>();
    waits.set('T1', slow);
    const done = look(NINE + 5_000);
    await expect.poll(sent).toEqual([NINE, NINE]);
    resolve();
    expect(await done).toEqual([NINE, NINE, NINE]);
  });

  it('of many workspaces at the same minute are all sent in one round, fifty workspaces at a time', async () => {
    const all = Array.from({ length: 120 }, (_, number) => `T${number}`);
    const { look, counting } = await openSchedulers(await newUrl(), 1, all);
    expect(await look(NINE + 5_000)).toHaveLength(120);
    expect(counting.most).toBeLessThanOrEqual(50);
  });
});
