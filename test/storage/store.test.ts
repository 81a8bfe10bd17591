import { describe, expect, it } from 'vitest';
import { places } from './places.ts';

describe.each(places)('a store $place', ({ open }) => {
  it('gives back what was written, as JSON has it', async () => {
    const { store } = await open();
    await store.set('a', {
      text: ':base64:é',
      none: null,
      list: [1, 2.5, true],
      at: new Date(0),
      left: undefined,
    });
    await store.set('b', null);

    expect(await store.get('a')).toEqual({
      text: ':base64:é',
      none: null,
      list: [1, 2.5, true],
      at: '1970-01-01T00:00:00.000Z',
    });
    expect(await store.get('b')).toBeNull();
    expect(await store.get('c')).toBeUndefined();
  });

  it('replaces what was there, its expiry too', async () => {
    const { store, clock } = await open();
    await store.set('a', 1, 1_000);
    await store.set('a', 2);
    clock.time += 2_000;

    expect(await store.get('a')).toBe(2);
  });

  it('keeps a value until its time is over', async () => {
    const { store, clock } = await open();
    await store.set('a', 1, 1_000);
    clock.time += 999;
    expect(await store.get('a')).toBe(1);
    clock.time += 1;

    expect(await store.get('a')).toBeUndefined();
    expect(await store.keys('', 10)).toEqual([]);
    expect(await store.delete('a')).toBe(false);
  });

  it('rounds a fraction of a millisecond up', async () => {
    const { store, clock } = await open();
    await store.set('a', 1, 0.5);
    await store.add('b', 1, 0.5);
    expect(await store.keys('', 10)).toEqual(['a', 'b']);
    clock.time += 1;

    expect(await store.keys('', 10)).toEqual([]);
  });

  it.each([0, -1, Number.NaN, Infinity])('refuses a time to live of %d', async (ttlMs) => {
    const { store } = await open();

    await expect(store.set('a', 1, ttlMs)).rejects.toThrow(RangeError);
    await expect(store.add('a', 1, ttlMs)).rejects.toThrow(RangeError);
    expect(await store.get('a')).toBeUndefined();
  });

  it('says whether there was something to delete', async () => {
    const { store } = await open();
    await store.set('a', 1);

    expect(await store.delete('a')).toBe(true);
    expect(await store.delete('a')).toBe(false);
    expect(await store.get('a')).toBeUndefined();
  });

  it.each([
    ['', 'empty'],
    ['\uD800', 'not well-formed'],
  ])('refuses the key %j, which is %s', async (key) => {
    const { store } = await open();

    await expect(store.set(key, 1)).rejects.toThrow(TypeError);
    await expect(store.add(key, 1)).rejects.toThrow(TypeError);
    await expect(store.get(key)).rejects.toThrow(TypeError);
    await expect(store.delete(key)).rejects.toThrow(TypeError);
  });

  it.each([[undefined], [() => 1], [Symbol('s')], [1n]])(
    'refuses a value JSON cannot hold: %s',
    async (value) => {
      const { store } = await open();

      await expect(store.set('a', value)).rejects.toThrow(TypeError);
      await expect(store.add('a', value)).rejects.toThrow(TypeError);
      expect(await store.keys('', 10)).toEqual([]);
    },
  );

  it('proves that it can be written to, until it is closed', async () => {
    const { storage } = await open();
    await storage.check();
    await storage.close();
    await storage.close();

    await expect(storage.check()).rejects.toMatchObject({ name: 'DatabaseError', kind: 'closed' });
  });

  it('rejects everything once it is closed', async () => {
    const { storage, store } = await open();
    await storage.close();
    const calls = [
      store.get('a'),
      store.set('a', 1),
      store.add('a', 1),
      store.delete('a'),
      store.keys('', 1),
    ];

    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { name: 'DatabaseError', kind: 'closed' },
      });
    }
  });
});
