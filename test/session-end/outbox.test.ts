import { describe, expect, it, onTestFinished } from 'vitest';
import { createOutbox } from '../../src/session-end/outbox.ts';
import { DatabaseError } from '../../src/database/errors.ts';
import { openStorage } from '../../src/storage/open.ts';
import type { Store } from '../../src/storage/store.ts';
import { deliveryOf } from './ended-session.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const posted = { outcome: 'posted', to: 'C0SUPPORT01', ts: '1.2', settledAt: 0 } as const;

/** An outbox in memory with its stores, and a clock that stands still until it is moved. */
async function openOutbox(
  change: (waiting: Store) => Store = (waiting) => waiting,
  changeSettled: (settled: Store) => Store = (settled) => settled,
) {
  const clock = { time: Date.UTC(2026, 0, 1) };
  const storage = await openStorage('memory:', { now: () => clock.time });
  onTestFinished(() => storage.close());
  const stores = {
    waiting: storage.store('waiting'),
    settled: storage.store('settled'),
    claims: storage.store('claims'),
    begun: storage.store('begun'),
    now: () => clock.time,
  };
  const outbox = createOutbox({
    ...stores,
    waiting: change(stores.waiting),
    settled: changeSettled(stores.settled),
  });
  return { outbox, stores, clock };
}

async function idsWaiting({ outbox }: Awaited<ReturnType<typeof openOutbox>>): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of outbox.waiting()) ids.push(id);
  return ids;
}

describe('the outbox', () => {
  it('accepts a delivery once, while it waits and after it is settled', async () => {
    const { outbox } = await openOutbox();
    expect(await outbox.accept('a', deliveryOf('a'))).toBe('accepted');
    expect(await outbox.accept('a', deliveryOf('a'))).toBe('duplicate');
    await outbox.settle('a', posted);
    expect(await outbox.accept('a', deliveryOf('a'))).toBe('duplicate');
    expect(await outbox.settlement('a')).toEqual(posted);
  });

  it('accepts one of fifty that come at once', async () => {
    const { outbox } = await openOutbox();
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => outbox.accept('a', deliveryOf('a'))));
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
  });

  it('does not bring back what was settled between the look and the add', async () => {
    const opened = await openOutbox((waiting) => ({
      ...waiting,
      async add(key, value, leaseMs) {
        await opened.stores.settled.set(key, posted);
        return waiting.add(key, value, leaseMs);
      },
    }));
    expect(await opened.outbox.accept('a', deliveryOf('a'))).toBe('duplicate');
    expect(await idsWaiting(opened)).toEqual([]);
  });

  it('has accepted what is on disk, also where it cannot be looked whether it was settled meanwhile', async () => {
    let reads = 0;
    const { outbox } = await openOutbox(undefined, (settled) => ({
      ...settled,
      async get(key) {
        reads += 1;
        if (reads === 2) throw new DatabaseError('failed');
        return settled.get(key);
      },
    }));
    expect(await outbox.accept('a', deliveryOf('a'))).toBe('accepted');
    expect(await outbox.claim('a', 1_000)).toMatchObject({ state: 'claimed' });
  });

  it('remembers for 90 days what is settled, for a webhook that comes again', async () => {
    const { outbox, clock } = await openOutbox();
    await outbox.accept('a', deliveryOf('a'));
    await outbox.settle('a', posted);
    clock.time += 89 * DAY_MS;
    expect(await outbox.accept('a', deliveryOf('a'))).toBe('duplicate');
  });

  it('lets one claim a delivery until it is released', async () => {
    const { outbox } = await openOutbox();
    await outbox.accept('a', deliveryOf('a'));
    expect(await outbox.claim('a', 1_000)).toEqual({ state: 'claimed', delivery: deliveryOf('a') });
    expect(await outbox.claim('a', 1_000)).toEqual({ state: 'held' });
    await outbox.release('a');
    expect(await outbox.claim('a', 1_000)).toMatchObject({ state: 'claimed' });
  });

  it('takes a claim from a process that is dead when its lease is over', async () => {
    const { outbox, clock } = await openOutbox();
    await outbox.accept('a', deliveryOf('a'));
    await outbox.claim('a', 1_000);
    clock.time += 999;
    expect(await outbox.claim('a', 1_000)).toEqual({ state: 'held' });
    clock.time += 1;
    expect(await outbox.claim('a', 1_000)).toMatchObject({ state: 'claimed' });
  });

  it('takes a claim from a process that is dead, too, where the clock was put back since', async () => {
    const { outbox, stores, clock } = await openOutbox();
    await outbox.accept('a', deliveryOf('a'));
    await createOutbox(stores).claim('a', 1_000);
    clock.time -= 1_000;
    expect(await outbox.claim('a', 1_000)).toEqual({ state: 'held' });
    clock.time -= DAY_MS;
    expect(await outbox.claim('a', 1_000)).toMatchObject({ state: 'claimed', begunAt: expect.any(Number) });
    clock.time -= DAY_MS;
    expect(await outbox.claim('a', 1_000)).toEqual({ state: 'held' });
  });

  it('makes a claim last anew for who has it, and for nobody else', async () => {
    const { outbox, stores, clock } = await openOutbox();
    const other = createOutbox(stores);
    await outbox.accept('a', deliveryOf('a'));
    await outbox.claim('a', 1_000);
    clock.time += 999;
    await outbox.renew('a', 1_000);
    clock.time += 999;
    expect(await other.claim('a', 1_000)).toEqual({ state: 'held' });
    clock.time += 1;
    expect(await other.claim('a', 1_000)).toMatchObject({ state: 'claimed' });
    await expect(outbox.renew('a', 1_000)).rejects.toThrow('Another process');
    clock.time += 1_000;
    await outbox.renew('a', 1_000);
    expect(await other.claim('a', 1_000)).toEqual({ state: 'held' });
  });

  it('tells of a record that cannot be read, and leaves no claim on it', async () => {
    const { outbox, stores } = await openOutbox();
    await stores.waiting.set('a', { grant: 'nonsense' });
    expect(await outbox.claim('a', 1_000)).toMatchObject({ state: 'unreadable' });
    expect(await outbox.look('a')).toMatchObject({ id: 'a', error: expect.anything() });
    for (const store of [stores.claims, stores.begun]) expect(await store.keys('', 9)).toEqual([]);
  });

  it('finishes a settling that was cut off between its two writes', async () => {
    const opened = await openOutbox();
    await opened.outbox.accept('a', deliveryOf('a'));
    await opened.stores.settled.set('a', posted);
    expect(await opened.outbox.claim('a', 1_000)).toEqual({ state: 'gone' });
    expect(await idsWaiting(opened)).toEqual([]);
    expect(await opened.stores.claims.keys('', 10)).toEqual([]);
  });

  it('has nothing to claim where nothing waits, and leaves no claim behind', async () => {
    const { outbox, stores } = await openOutbox();
    expect(await outbox.claim('a', 1_000)).toEqual({ state: 'gone' });
    expect(await stores.claims.keys('', 10)).toEqual([]);
  });

  it('lists everything that waits, over many pages', async () => {
    const opened = await openOutbox();
    const ids = Array.from({ length: 1_203 }, (_, index) => `session-${index}`);
    await Promise.all(ids.map((id) => opened.outbox.accept(id, deliveryOf(id))));
    await opened.outbox.settle('session-7', posted);
    const listed = await idsWaiting(opened);
    expect(listed).toHaveLength(1_202);
    expect(new Set(listed)).toEqual(new Set(ids.filter((id) => id !== 'session-7')));
  });

  it('reads none again that is known', async () => {
    const { outbox, stores } = await openOutbox();
    await outbox.accept('a', deliveryOf('a'));
    await outbox.accept('b', deliveryOf('b'));
    await stores.waiting.set('c', 'nonsense');
    const found: string[] = [];
    for await (const { id } of outbox.waiting((known) => known !== 'b')) found.push(id);
    expect(found).toEqual(['b']);
  });

  it('keeps what waits without an end of its time', async () => {
    const opened = await openOutbox();
    await opened.outbox.accept('a', deliveryOf('a'));
    opened.clock.time += 1_000 * DAY_MS;
    expect(await idsWaiting(opened)).toEqual(['a']);
  });
});
