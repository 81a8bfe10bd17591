import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import { createPauses } from '../../src/subscriptions/pauses.ts';
import { createSubscriptionRepository } from '../../src/subscriptions/repository.ts';
import { newSubscription, noEntry } from './new-subscription.ts';

it('asks about one paused channel at a time, each in its turn, and not where only a post can show it, or nothing can', async () => {
  const database = await openDatabase('memory:');
  onTestFinished(() => database.close());
  const repository = createSubscriptionRepository(database);
  const asked: string[] = [];
  const app = {
    async stateOf(_workspaceId: string, channelId: string) {
      asked.push(channelId);
      return 'unknown' as const;
    },
    prepare: noEntry,
    outbox: { newId: () => 'id', wake: () => undefined },
    now: () => 0,
  };
  const { askAgain } = createPauses(app, repository);
  await askAgain();
  await repository.add(newSubscription({ channelId: 'C0' }), 100);
  const reasons = {
    C1: 'is_archived',
    C2: 'not_in_channel',
    C3: 'channel_not_found',
    C4: 'restricted_action',
    C5: 'channel_deleted',
    D1: 'channel_not_found',
  };
  for (const [channelId, reason] of Object.entries(reasons)) {
    await repository.add(newSubscription({ channelId }), 100);
    await repository.pause('T1', channelId, { reason, since: 1 }, noEntry);
  }
  for (let turn = 0; turn < 6; turn += 1) await askAgain();
  expect(new Set(asked.slice(0, 3))).toEqual(new Set(['C1', 'C2', 'C3']));
  expect(asked.slice(3)).toEqual(asked.slice(0, 3));
});
