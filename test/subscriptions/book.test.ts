import { describe, expect, it, onTestFinished } from 'vitest';
import { Subscription } from '../../src/grants/subscription.ts';
import { DatabaseError } from '../../src/database/errors.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createSubscriptionBook } from '../../src/subscriptions/book.ts';

const content = (workspaceId: string): Omit<Subscription, 'id'> => ({
  workspaceId,
  channelId: 'C1',
  filters: { agents: [], groups: [], tags: [] },
  form: 'full',
  setUpBy: 'U1',
  setUpAt: 0,
});

async function openBook() {
  const storage = await openStorage('memory:');
  onTestFinished(() => storage.close());
  const reports: unknown[] = [];
  const store = storage.store('subscriptions');
  const book = createSubscriptionBook(store, (error) => void reports.push(error));
  const numbers = async (workspaceId: string) => (await book.of(workspaceId)).map(({ id }) => id);
  return { book, store, reports, numbers };
}

describe('the book of subscriptions', () => {
  it('numbers them within a workspace, in the order in which they came, at the same time too', async () => {
    const { book, numbers } = await openBook();
    await Promise.all(Array.from({ length: 12 }, () => book.add(content('T1'))));
    await book.add(content('T11'));
    expect(await numbers('T1')).toEqual(Array.from({ length: 12 }, (_, index) => String(index + 1)));
    expect(await numbers('T11')).toEqual(['1']);
    expect(await numbers('T')).toEqual([]);
  });

  it('gives no number twice, not even the last one', async () => {
    const { book, numbers } = await openBook();
    await book.add(content('T1'));
    await book.add(content('T1'));
    expect((await book.remove('T1', '2'))?.id).toBe('2');
    expect(await book.remove('T1', '2')).toBeUndefined();
    await book.add(content('T1'));
    expect(await numbers('T1')).toEqual(['1', '3']);
  });

  it('loses no change of two at the same time, and brings none back', async () => {
    const { book } = await openBook();
    await book.add(content('T1'));
    await Promise.all([
      book.change('T1', '1', (now) => ({ ...now, doneUntil: 7 })),
      book.change('T1', '1', (now) => ({ ...now, channelId: 'C2' })),
    ]);
    expect(await book.one('T1', '1')).toMatchObject({ doneUntil: 7, channelId: 'C2' });
    const [changed] = await Promise.all([
      book.remove('T1', '1'),
      book.change('T1', '1', (now) => ({ ...now, doneUntil: 8 })),
    ]);
    expect(changed?.id).toBe('1');
    expect(await book.one('T1', '1')).toBeUndefined();
  });

  it('tells of a record that cannot be read, and goes on with the others', async () => {
    const { book, store, reports, numbers } = await openBook();
    await book.add(content('T1'));
    await store.set('T1:000002', { anything: true });
    await book.add(content('T1'));
    expect(await numbers('T1')).toEqual(['1', '3']);
    expect(reports).not.toEqual([]);
  });

  it('says nothing of a subscription while the store cannot be read', async () => {
    const { book, store, reports } = await openBook();
    await book.add(content('T1'));
    const locked = new DatabaseError('locked');
    const busy = createSubscriptionBook({ ...store, get: () => Promise.reject(locked) }, () => undefined);
    await expect(busy.one('T1', '1')).rejects.toBe(locked);
    await expect(busy.of('T1')).rejects.toBe(locked);
    expect(reports).toEqual([]);
  });
});
