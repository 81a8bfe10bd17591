import { describe, expect, it } from 'vitest';
import {
  advanceDigest,
  createSubscriptionRepository,
  readSubscriptions,
} from '../../../src/subscriptions/repository.ts';
import type { NewSubscription, Subscription } from '../../../src/subscriptions/subscription.ts';
import { newSubscription, noEntry } from '../../subscriptions/new-subscription.ts';
import { engines, openForTwo } from '../../support/engines.ts';

const content = (workspaceId: string, more: Partial<NewSubscription> = {}) =>
  newSubscription({ workspaceId, ...more });
/** Of a channel of its own. */
const nth = (index: number) => content('T1', { channelId: `C${index}` });
const daily = content('T1', { schedule: { hour: 9, minute: 0, zone: 'UTC' } });

describe.each(engines)('the subscriptions in $engine', ({ newUrl }) => {
  /** As two processes have them. */
  async function openTwice() {
    const [database, other] = await openForTwo(await newUrl());
    const here = createSubscriptionRepository(database);
    const there = createSubscriptionRepository(other);
    const numbers = async (workspaceId: string) => (await here.of(workspaceId)).map(({ id }) => id);
    async function existing(id: string): Promise<Subscription> {
      const found = await here.one('T1', id);
      if (found === undefined) throw new Error('It was set up.');
      return found;
    }
    return { database, here, there, numbers, existing };
  }

  it('are numbered within a workspace, by two processes at the same time, too', async () => {
    const { database, here, there, numbers } = await openTwice();
    await Promise.all(
      Array.from({ length: 12 }, (_, index) => (index % 2 ? here : there).add(nth(index), 100)),
    );
    await here.add(content('T11'), 100);
    expect(await numbers('T1')).toEqual(Array.from({ length: 12 }, (_, index) => String(index + 1)));
    expect(await numbers('T11')).toEqual(['1']);
    expect(await numbers('T')).toEqual([]);
    expect((await readSubscriptions(database)).found).toHaveLength(13);
  });

  it('are paused and resumed together, by one of two processes, which alone tells their owner of all of them', async () => {
    const { here, there, existing } = await openTwice();
    for (const form of ['full', 'short', 'thread'] as const) await here.add(content('T1', { form }), 100);
    await here.add(content('T1', { channelId: 'C2' }), 100);
    const pauses = [here, there].map((one) =>
      one.pause('T1', 'C1', { reason: 'is_archived', since: 5 }, noEntry),
    );
    const begun = (await Promise.all(pauses)).map((changed) => changed.map(({ id }) => id));
    expect(begun.toSorted((one, other) => other.length - one.length)).toEqual([['1', '2', '3'], []]);
    expect(await here.pause('T1', 'C1', { reason: 'channel_not_found', since: 9 }, noEntry)).toEqual([]);
    expect((await existing('3')).paused).toEqual({ reason: 'is_archived', since: 5 });
    expect(await there.resume('T1', 'C1', noEntry)).toHaveLength(3);
    expect((await existing('2')).paused).toBeUndefined();
  });

  it('are there once where two set up the same, and no more than a workspace can have', async () => {
    const { here, there } = await openTwice();
    const added = await Promise.all([here, there, here].map((one) => one.add(content('T1'), 100)));
    expect(added.filter((one) => one !== undefined)).toHaveLength(1);
    expect(await here.add(nth(2), 2)).toBeDefined();
    expect(await here.add(nth(3), 2)).toBeUndefined();
    expect(await here.of('T1')).toHaveLength(2);
  });

  it('leave a channel one digest, the last one that was asked for', async () => {
    const { here, there } = await openTwice();
    await here.add(content('T1'), 100);
    await Promise.all([here.add(daily, 100, 1), there.add(daily, 100, 1), here.add(daily, 100, 1)]);
    expect((await here.of('T1')).map(({ schedule }) => schedule?.hour)).toEqual([undefined, 9]);
  });

  it('lose no change of two processes at the same time, and come not back', async () => {
    const { here, there } = await openTwice();
    await here.add(content('T1'), 100);
    await Promise.all([
      here.pause('T1', 'C1', { reason: 'is_archived', since: 7 }, noEntry),
      there.moveChannel('T1', 'C1', 'C2'),
    ]);
    // Where it had moved before the pause, that was of another channel.
    expect(await here.one('T1', '1')).toMatchObject({ channelId: 'C2', version: expect.any(Number) });
    await Promise.all([here.remove('T1', '1'), there.resume('T1', 'C2', noEntry)]);
    expect(await here.one('T1', '1')).toBeUndefined();
  });

  it('are edited by one of two who had the same version before them', async () => {
    const { here, there, existing } = await openTwice();
    await here.add(content('T1'), 100);
    const before = await existing('1');
    const edited = await Promise.all([
      here.edit({ ...before, channelId: 'C2', form: 'short' }),
      there.edit({ ...before, channelId: 'C3', form: 'thread' }),
    ]);
    const [won, ...others] = edited.filter((one) => one !== undefined);
    expect(others).toEqual([]);
    expect(await here.one('T1', '1')).toEqual(won);
  });

  it('are edited to nothing that the channel gets already, a second digest least of all', async () => {
    const { here, existing } = await openTwice();
    await here.add(content('T1'), 100);
    await here.add({ ...content('T1'), form: 'short' }, 100);
    await here.add(daily, 100, 1_000);
    const before: Subscription = { ...(await existing('2')), form: 'full' };
    expect(await here.edit(before)).toBeUndefined();
    const digest = { ...before, schedule: daily.schedule };
    expect(await here.edit(digest, 1)).toBeUndefined();
    await here.edit({ ...digest, channelId: 'C2' }, 70);
    const moved = { id: '2', channelId: 'C2', schedule: { hour: 9 }, nextAt: 70 };
    expect(await here.due(70)).toMatchObject([moved]);
    await here.edit({ ...before, channelId: 'C2', version: before.version + 1 });
    expect(await here.due(70)).toEqual([]);
  });

  // That one process sees to each is scheduler.test.ts's.
  it('are due one by one, by an index', async () => {
    const { database, here } = await openTwice();
    await here.add(daily, 100, 1_000);
    await here.add({ ...daily, channelId: 'C2' }, 100, 900);
    expect(await here.due(899)).toEqual([]);
    const [first] = await here.due(1_000);
    expect((await here.due(1_000)).map(({ id }) => id)).toEqual(['2', '1']);
    if (first !== undefined) await database.writeIf(advanceDigest(first, 2_000));
    expect(await here.due(5_000)).toMatchObject([
      { id: '1', nextAt: 1_000, digests: 0 },
      { id: '2', nextAt: 2_000, digests: 1 },
    ]);
  });
});
