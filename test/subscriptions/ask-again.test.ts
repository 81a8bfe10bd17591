import { expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../../src/storage/open.ts';
import { createAskAgain } from '../../src/subscriptions/ask-again.ts';
import { createSubscriptionBook } from '../../src/subscriptions/book.ts';

/** Subscriptions by their channels, paused for these reasons. */
async function openBook(paused: readonly (readonly [string, string | undefined])[]) {
  const storage = await openStorage('memory:');
  onTestFinished(() => storage.close());
  const book = createSubscriptionBook(storage.store('subscriptions'), () => undefined);
  const filters = { agents: [], groups: [], tags: [] };
  for (const [channelId, reason] of paused) {
    const pause = reason === undefined ? {} : { paused: { reason, since: 0 } };
    await book.add({
      workspaceId: 'T1',
      channelId,
      filters,
      form: 'full',
      setUpBy: 'U1',
      setUpAt: 0,
      ...pause,
    });
  }
  const asked: string[] = [];
  const askAgain = createAskAgain(book, {
    changed: async (_workspaceId, channelId) => void asked.push(channelId),
  });
  return { book, asked, askAgain };
}

it('asks about one paused channel at a time, each in its turn', async () => {
  const { book, asked, askAgain } = await openBook([
    ['C1', 'is_archived'],
    ['C2', undefined],
    ['C1', 'is_archived'],
    ['C3', 'not_in_channel'],
    ['C4', 'channel_not_found'],
  ]);
  for (const expected of [['C1'], ['C1', 'C3'], ['C1', 'C3', 'C4'], ['C1', 'C3', 'C4', 'C1']]) {
    await askAgain();
    expect(asked).toEqual(expected);
  }
  await book.remove('T1', '4');
  await askAgain();
  expect(asked.at(-1)).toBe('C4');
});

it('asks nothing where only a post can show it, or nothing can', async () => {
  const { asked, askAgain } = await openBook([
    ['C1', 'restricted_action'],
    ['C2', 'channel_deleted'],
    ['D1', 'channel_not_found'],
    ['C3', undefined],
  ]);
  await askAgain();
  expect(asked).toEqual([]);
});
