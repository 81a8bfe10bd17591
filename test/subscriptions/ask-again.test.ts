import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import { createPauses } from '../../src/subscriptions/pauses.ts';
import { createSubscriptionRepository } from '../../src/subscriptions/repository.ts';
import { ALL_SESSIONS, newSubscription, noEntry } from './new-subscription.ts';

/** Subscriptions by their channels, paused for these reasons. */
async function openRepository(paused: readonly (readonly [string, string | undefined])[]) {
  const database = await openDatabase('memory:');
  onTestFinished(() => database.close());
  const repository = createSubscriptionRepository(database, () => undefined);
  let minSeconds = 0;
  for (const [channelId, reason] of paused) {
    // Two of one channel differ in who they are for.
    const own = newSubscription({ channelId, filters: { ...ALL_SESSIONS, minSeconds: (minSeconds += 1) } });
    const { id = '' } = (await repository.add(own, 100)) ?? {};
    if (reason !== undefined)
      await repository.pause('T1', [id], { reason, since: minSeconds }, () => undefined);
  }
  const asked: string[] = [];
  const { askAgain } = createPauses(
    {
      async stateOf(_workspaceId, channelId) {
        asked.push(channelId);
        return 'unknown';
      },
      prepare: noEntry,
      outbox: { newId: () => 'id', wake: () => undefined },
      now: () => 0,
    },
    repository,
  );
  return { repository, asked, askAgain };
}

it('asks about one paused channel at a time, each in its turn, and not where only a post can show it, or nothing can', async () => {
  const { repository, asked, askAgain } = await openRepository([
    ['C1', 'is_archived'],
    ['C2', undefined],
    ['C1', 'is_archived'],
    ['C3', 'not_in_channel'],
    ['C4', 'channel_not_found'],
    ['C5', 'restricted_action'],
    ['C6', 'channel_deleted'],
    ['D1', 'channel_not_found'],
  ]);
  for (const expected of [['C1'], ['C1', 'C3'], ['C1', 'C3', 'C4'], ['C1', 'C3', 'C4', 'C1']]) {
    await askAgain();
    expect(asked).toEqual(expected);
  }
  await repository.remove('T1', '4');
  await askAgain();
  expect(asked.at(-1)).toBe('C4');
});
