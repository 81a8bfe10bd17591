import { describe, expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../../src/storage/open.ts';
import type { Announced } from '../../src/subscriptions/announce.ts';
import { createSubscriptionBook } from '../../src/subscriptions/book.ts';
import { createPauses } from '../../src/subscriptions/pauses.ts';

/** Pauses of one subscription, number 1 of C1, whose owner Slack answers for when the test says so. */
async function openPauses(state: () => 'archived' | 'member' | 'unknown' = () => 'archived') {
  const storage = await openStorage('memory:');
  onTestFinished(() => storage.close());
  const book = createSubscriptionBook(storage.store('subscriptions'), () => undefined);
  const filters = { agents: [], groups: [], tags: [] };
  await book.add({ workspaceId: 'T1', channelId: 'C1', filters, form: 'full', setUpBy: 'U1', setUpAt: 0 });
  const told: string[] = [];
  const answers: ((answer: Announced) => void)[] = [];
  const pauses = createPauses({
    book,
    announce(_workspaceId, to, { text }) {
      told.push(`${to}: ${text.split('\n')[0]}`);
      return new Promise((resolve) => answers.push(resolve));
    },
    stateOf: async () => state(),
    record: async () => undefined,
    now: () => 0,
  });
  const answer = async (outcome: Announced) => {
    await expect.poll(() => answers.length).toBeGreaterThan(0);
    answers.shift()?.(outcome);
  };
  return { book, pauses, told, answer };
}

const PAUSED = 'U1: What you set up for <#C1> is paused: it is archived.';
const RESUMED = 'U1: What you set up for <#C1> arrives again: number 1.';

describe('whoever set a subscription up', () => {
  it('is told once, though it is looked for what is owed meanwhile, and the news comes twice', async () => {
    const { pauses, told, answer } = await openPauses();
    const first = pauses.changed('T1', 'C1', false);
    await expect.poll(() => told).toEqual([PAUSED]);
    await Promise.all([pauses.tellOwners(), pauses.changed('T1', 'C1', false), pauses.tellOwners()]);
    await answer({ outcome: 'posted' });
    await first;
    await pauses.tellOwners();
    expect(told).toEqual([PAUSED]);
  });

  it('is told later where Slack is busy, and never again where they cannot be told at all', async () => {
    const { pauses, told, answer } = await openPauses();
    const first = pauses.changed('T1', 'C1', false);
    await answer({ outcome: 'later', reason: 'ratelimited' });
    await first;
    const second = pauses.tellOwners();
    await answer({ outcome: 'never', reason: 'user_not_found' });
    await second;
    await pauses.tellOwners();
    expect(told).toEqual([PAUSED, PAUSED]);
  });

  it('hears of the end of a pause, and of neither where it was over before they could be told', async () => {
    let state: 'archived' | 'member' = 'archived';
    const { book, pauses, told, answer } = await openPauses(() => state);
    const first = pauses.changed('T1', 'C1', false);
    await answer({ outcome: 'later', reason: 'ratelimited' });
    await first;
    state = 'member';
    await pauses.changed('T1', 'C1', false);
    await pauses.tellOwners();
    expect(told).toEqual([PAUSED]);
    expect((await book.one('T1', '1'))?.paused).toBeUndefined();
    const failed = pauses.failed('T1', '1', 'is_archived');
    await answer({ outcome: 'posted' });
    await failed;
    const worked = pauses.worked('T1', '1');
    await answer({ outcome: 'posted' });
    await worked;
    expect(told).toEqual([PAUSED, PAUSED, RESUMED]);
  });

  it('hears nothing of what says nothing of the channel', async () => {
    const { book, pauses, told } = await openPauses(() => 'unknown');
    await pauses.changed('T1', 'C1', false);
    await pauses.changed('T1', 'C2', true);
    for (const reason of ['msg_too_long', 'ratelimited', 'http_500', 'no_answer', 'account_inactive'])
      await pauses.failed('T1', '1', reason);
    expect(told).toEqual([]);
    expect((await book.one('T1', '1'))?.paused).toBeUndefined();
  });

  it('keeps a pause for what only a post can disprove', async () => {
    const { book, pauses, answer } = await openPauses(() => 'member');
    const failed = pauses.failed('T1', '1', 'restricted_action');
    await answer({ outcome: 'posted' });
    await failed;
    await pauses.changed('T1', 'C1', false);
    expect((await book.one('T1', '1'))?.paused?.reason).toBe('restricted_action');
  });
});
