import { describe, expect, it } from 'vitest';
import { getReadable } from '../../src/storage/readable.ts';
import { openDamageable } from './damage.ts';

describe('what can be read', () => {
  it('is a whole record, and nothing where it is damaged or missing', async () => {
    const { storage, damage } = await openDamageable();
    const store = storage.store('notes');
    await store.set('a', 1);
    await store.set('b', 2);
    damage('notes', 'a');
    expect(await getReadable(store, 'a')).toBeUndefined();
    expect(await getReadable(store, 'b')).toBe(2);
    expect(await getReadable(store, 'c')).toBeUndefined();
  });

  it('is not known where the store cannot be asked', async () => {
    const { storage } = await openDamageable();
    const store = storage.store('notes');
    await storage.close();
    await expect(getReadable(store, 'a')).rejects.toMatchObject({ kind: 'closed' });
  });
});
