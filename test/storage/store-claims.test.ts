import { describe, expect, it } from 'vitest';
import { places } from './places.ts';

describe.each(places)('a claim in a store $place', ({ open }) => {
  it('is won once, and what was put stays', async () => {
    const { store } = await open();

    expect(await store.add('job', { by: 'first' })).toBe(true);
    expect(await store.add('job', { by: 'second' })).toBe(false);
    expect(await store.get('job')).toEqual({ by: 'first' });
  });

  it('is won by exactly one of many at once', async () => {
    const { store } = await open();
    const claims = await Promise.all(Array.from({ length: 100 }, (_, number) => store.add('job', number)));

    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  it('can be won again when its lease is over, not before', async () => {
    const { store, clock } = await open();
    await store.add('job', 'first', 1_000);
    clock.time += 999;
    expect(await store.add('job', 'second', 1_000)).toBe(false);
    clock.time += 1;

    expect(await store.add('job', 'third', 1_000)).toBe(true);
    expect(await store.add('job', 'fourth', 1_000)).toBe(false);
    expect(await store.get('job')).toBe('third');
  });

  it('never ends without a lease', async () => {
    const { store, clock } = await open();
    await store.add('job', 1);
    clock.time += 1_000 * 365 * 86_400_000;

    expect(await store.add('job', 2)).toBe(false);
  });

  it('can be won again when it was given up', async () => {
    const { store } = await open();
    await store.add('job', 1);
    await store.delete('job');

    expect(await store.add('job', 2)).toBe(true);
  });

  it('is not won where a value was set', async () => {
    const { store } = await open();
    await store.set('job', 1);

    expect(await store.add('job', 2)).toBe(false);
  });
});
