import { describe, expect, it } from 'vitest';
import { places } from './places.ts';

describe.each(places)('the keys of a store $place', ({ open }) => {
  it('come in order, page by page, each once', async () => {
    const { store } = await open();
    const names = Array.from({ length: 250 }, (_, number) => `key-${String(number).padStart(3, '0')}`);
    await Promise.all(names.toReversed().map((name) => store.set(name, 1)));
    const first = await store.keys('', 100);
    const second = await store.keys('key-099', 100);
    const third = await store.keys('key-199', 100);

    expect([...first, ...second, ...third]).toEqual(names);
    expect([first.length, second.length, third.length]).toEqual([100, 100, 50]);
    expect(await store.keys('key-249', 100)).toEqual([]);
  });

  it('leave out what has expired, however much that is', async () => {
    const { store, clock } = await open();
    await Promise.all(Array.from({ length: 50 }, (_, number) => store.set(`a${number}`, 1, 10)));
    await store.set('b', 1);
    clock.time += 10;

    expect(await store.keys('', 1)).toEqual(['b']);
  });

  it.each([0, -1, 1.5])('are not given for a limit of %d', async (limit) => {
    const { store } = await open();

    await expect(store.keys('', limit)).rejects.toThrow(RangeError);
  });

  it('may be any text, sorted by code unit', async () => {
    const { store } = await open();
    const names = [' ', "';--", 'A', 'B', 'a', 'a:b', 'x'.repeat(5_000), 'é', '訪問者', '😀'];
    await Promise.all(names.map((name) => store.set(name, { name })));

    expect(await store.keys('', 100)).toEqual(names);
    for (const name of names) expect(await store.get(name)).toEqual({ name });
  });

  it('are not seen by the stores of other namespaces', async () => {
    const { storage } = await open();
    const [left, right] = [storage.store('a'), storage.store('a:b')];
    await left.set('b:c', 'left');
    await right.set('c', 'right');

    expect(await left.get('c')).toBeUndefined();
    expect(await right.delete('b:c')).toBe(false);
    expect(await right.add('b:c', 'right')).toBe(true);
    expect(await left.keys('', 10)).toEqual(['b:c']);
    expect(await right.keys('', 10)).toEqual(['b:c', 'c']);
    expect(await storage.store('a').get('b:c')).toBe('left');
  });
});
