import { describe, expect, it } from 'vitest';
import { DatabaseError } from '../../src/database/errors.ts';
import type { Store } from '../../src/storage/store.ts';
import { openCourierStage, pass } from './courier-stage.ts';
import { deliveryOf } from './ended-session.ts';

const LEASE_MS = 30_000;
const MINUTE_MS = 60_000;

const lasting = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A store whose `set` is refused the first few times, as by a full disk. */
function refusingSet(store: Store, times: number): Store {
  let left = times;
  return {
    ...store,
    async set(key, value, ttlMs) {
      left -= 1;
      if (left >= 0) throw new DatabaseError('full');
      return store.set(key, value, ttlMs);
    },
  };
}

describe('a summary whose claim is held', () => {
  it('by a dead process is posted when the lease is over', async () => {
    const { courierThat, outbox, asked } = await openCourierStage();
    await outbox.accept('a', deliveryOf('a'));
    await outbox.claim('a', LEASE_MS);
    await courierThat().start();
    await pass(LEASE_MS - 1);
    expect(asked).toEqual([]);
    await pass(LEASE_MS / 10 + 1);
    expect(asked.map(({ id }) => id)).toEqual(['a']);
  });

  it('by a living process is posted by that one alone', async () => {
    const { courierThat, outbox, asked, stores } = await openCourierStage();
    await outbox.accept('a', deliveryOf('a'));
    await outbox.claim('a', LEASE_MS);
    const courier = courierThat();
    await courier.start();
    await pass(5_000);
    await outbox.settle('a', { outcome: 'posted', to: 'C0SUPPORT01', settledAt: 0 });
    await pass(2 * MINUTE_MS);
    expect(asked).toEqual([]);
    expect(courier.waiting()).toBe(0);
    expect(await stores.claims.keys('', 10)).toEqual([]);
  });
});

describe('a summary that takes long', () => {
  it('keeps its claim through all that goes before its post, and through the post', async () => {
    const { courierThat, outbox } = await openCourierStage();
    const courier = courierThat(
      async () => {
        await lasting(9_000);
        return { outcome: 'posted', ts: '1.2' };
      },
      {
        async gate() {
          await lasting(LEASE_MS - 5_000);
          return 'go';
        },
      },
    );
    await courier.accept('a', deliveryOf('a'));
    await pass(LEASE_MS + 2_000);
    expect(await outbox.claim('a', LEASE_MS)).toEqual({ state: 'held' });
    await pass(5_000);
    expect(await outbox.settlement('a')).toMatchObject({ outcome: 'posted' });
  });
});

describe('two processes over one store', () => {
  it('post everything once', async () => {
    const { courierThat, outbox, asked } = await openCourierStage();
    const ids = Array.from({ length: 20 }, (_, index) => `s${index}`);
    for (const id of ids) await outbox.accept(id, deliveryOf(id, { to: `C0${id.toUpperCase()}` }));
    await Promise.all([courierThat().start(), courierThat().start()]);
    await pass(2 * MINUTE_MS);
    expect(asked.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  });
});

describe('a summary that was posted', () => {
  it('is not posted again where the app was killed between the two writes that settle it', async () => {
    const { courierThat, outbox, stores, asked } = await openCourierStage();
    await outbox.accept('a', deliveryOf('a'));
    await stores.settled.set('a', { outcome: 'posted', to: 'C0SUPPORT01', settledAt: 0 });
    const courier = courierThat();
    await courier.start();
    await pass(MINUTE_MS);
    expect(asked).toEqual([]);
    expect(await stores.waiting.keys('', 10)).toEqual([]);
    expect(courier.waiting()).toBe(0);
  });

  it('is not posted again while the store does not take down that it was', async () => {
    const stage = await openCourierStage((stores) => ({
      ...stores,
      settled: refusingSet(stores.settled, 4),
    }));
    const { courierThat, outbox, asked, reports } = stage;
    await courierThat().accept('a', deliveryOf('a'));
    await pass(5 * MINUTE_MS);
    expect(asked.map(({ id }) => id)).toEqual(['a']);
    expect(reports).toEqual([...Array.from({ length: 4 }, () => 'broken a'), 'posted a']);
    expect(await outbox.settlement('a')).toMatchObject({ outcome: 'posted', settledAt: 0 });
    expect(await stage.stores.waiting.keys('', 10)).toEqual([]);
  });
});

describe('a failure of our own', () => {
  it('in the claiming puts a summary off and loses nothing', async () => {
    let left = 3;
    const { courierThat, asked, reports } = await openCourierStage((stores) => ({
      ...stores,
      claims: {
        ...stores.claims,
        async add(key, value, leaseMs) {
          left -= 1;
          if (left >= 0) throw new DatabaseError('locked');
          return stores.claims.add(key, value, leaseMs);
        },
      },
    }));
    await courierThat().accept('a', deliveryOf('a'));
    await pass(MINUTE_MS);
    expect(reports).toEqual(['broken a', 'broken a', 'broken a', 'posted a']);
    expect(asked).toHaveLength(1);
  });

  it('in the posting puts a summary off and holds no other', async () => {
    const { courierThat, asked } = await openCourierStage();
    const courier = courierThat(({ id }, times) => {
      if (id === 'a' && times === 0) throw new TypeError('not expected');
      return { outcome: 'posted', ts: '1.2' };
    });
    await courier.accept('a', deliveryOf('a'));
    await courier.accept('b', deliveryOf('b'));
    await pass(2 * MINUTE_MS);
    expect(asked.map(({ id }) => id)).toEqual(['a', 'b', 'a']);
  });
});

describe('what waits on disk and is in no lane', () => {
  it('is found within ten minutes: accepted by another process, or cut off by a failure', async () => {
    const { courierThat, outbox, reports } = await openCourierStage();
    const courier = courierThat();
    await courier.start();
    await outbox.accept('other', deliveryOf('other'));
    await pass(10 * MINUTE_MS + 1_000);
    expect(reports).toEqual(['posted other']);
    expect(courier.waiting()).toBe(0);
    await courier.stop();
  });

  it('is looked for again where the store failed', async () => {
    let isDown = false;
    const { courierThat, outbox, reports } = await openCourierStage((stores) => ({
      ...stores,
      waiting: {
        ...stores.waiting,
        keys: (after, limit) =>
          isDown ? Promise.reject(new DatabaseError('locked')) : stores.waiting.keys(after, limit),
      },
    }));
    const courier = courierThat();
    await courier.start();
    await outbox.accept('other', deliveryOf('other'));
    isDown = true;
    await pass(10 * MINUTE_MS + 1_000);
    isDown = false;
    expect(reports).toEqual(['broken all that wait']);
    await pass(10 * MINUTE_MS);
    expect(reports).toEqual(['broken all that wait', 'posted other']);
    await courier.stop();
    await outbox.accept('later', deliveryOf('later'));
    await pass(20 * MINUTE_MS);
    expect(reports).toHaveLength(2);
  });
});

describe('a record that cannot be read', () => {
  it('is told of and kept, and all others are posted', async () => {
    const { courierThat, outbox, stores, asked, reports } = await openCourierStage();
    await stores.waiting.set('broken', { grant: 'nonsense' });
    await outbox.accept('a', deliveryOf('a'));
    await outbox.accept('z', deliveryOf('z', { acceptedAt: 1 }));
    await courierThat().start();
    await pass(10_000);
    expect(asked.map(({ id }) => id)).toEqual(['a', 'z']);
    expect(reports.toSorted()).toEqual(['broken broken', 'posted a', 'posted z']);
    expect(await stores.waiting.get('broken')).toEqual({ grant: 'nonsense' });
  });

  it('does not keep the app from starting where it is not even JSON', async () => {
    const { courierThat, outbox, asked, reports } = await openCourierStage((stores) => ({
      ...stores,
      waiting: {
        ...stores.waiting,
        get: async (key) => {
          if (key === 'a') throw new DatabaseError('corrupt');
          return stores.waiting.get(key);
        },
      },
    }));
    await outbox.accept('a', deliveryOf('a'));
    await outbox.accept('z', deliveryOf('z'));
    await courierThat().start();
    await pass(10_000);
    expect(asked.map(({ id }) => id)).toEqual(['z']);
    expect(reports.toSorted()).toEqual(['broken a', 'posted z']);
  });

  it('that breaks while it waits is told of and kept', async () => {
    const { courierThat, outbox, stores, asked, reports } = await openCourierStage();
    await outbox.accept('a', deliveryOf('a'));
    const courier = courierThat();
    await courier.start();
    await stores.waiting.set('a', 'nonsense');
    await pass(10 * MINUTE_MS);
    expect(asked).toEqual([]);
    expect(reports[0]).toBe('broken a');
    expect(await stores.waiting.get('a')).toBe('nonsense');
    await courier.stop();
  });

  it('is no reason to start where the store as a whole cannot be read', async () => {
    const { courierThat, outbox } = await openCourierStage((stores) => ({
      ...stores,
      waiting: { ...stores.waiting, get: () => Promise.reject(new DatabaseError('failed')) },
    }));
    await outbox.accept('a', deliveryOf('a'));
    await expect(courierThat().start()).rejects.toMatchObject({ kind: 'failed' });
  });
});
