import { z } from 'zod';
import { Subscription } from '../grants/subscription.ts';
import { DatabaseError } from '../database/errors.ts';
import type { Store } from '../storage/store.ts';

const PAGE = 500;
const LAST = 'last:';

/** The subscriptions of all workspaces, durable. */
export interface SubscriptionBook {
  /** In the order in which they were set up. */
  of(workspaceId: string): Promise<readonly Subscription[]>;
  /** Every subscription there is. */
  all(): AsyncGenerator<Subscription>;
  one(workspaceId: string, id: string): Promise<Subscription | undefined>;
  /** Gives it a number. */
  add(subscription: Omit<Subscription, 'id'>): Promise<Subscription>;
  /** Undefined where there is none any more. What `change` gives back is written, one change after the other. */
  change(
    workspaceId: string,
    id: string,
    change: (now: Subscription) => Subscription,
  ): Promise<Subscription | undefined>;
  /** What was removed; undefined where somebody else did. */
  remove(workspaceId: string, id: string): Promise<Subscription | undefined>;
}

/** Whether a record is what cannot be read, and not the store just now. */
const isDamage = (error: unknown) =>
  error instanceof z.ZodError || (error instanceof DatabaseError && error.kind === 'corrupt');

const keyOf = (workspaceId: string, id: string) => `${workspaceId}:${id.padStart(6, '0')}`;

/** @param report told of a damaged record: the others still count. Everything else that the store fails with is thrown */
export function createSubscriptionBook(store: Store, report: (error: unknown) => void): SubscriptionBook {
  /** A change reads and then writes: one at a time for all, since there are few. */
  let last: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const own = last.then(work);
    last = own.catch(() => undefined);
    return own;
  }

  async function read(key: string): Promise<Subscription | undefined> {
    try {
      const stored = await store.get(key);
      return stored === undefined ? undefined : Subscription.parse(stored);
    } catch (error) {
      // A subscription that is there must not look removed because the store is busy.
      if (!isDamage(error)) throw error;
      report(error);
      return undefined;
    }
  }

  async function* under(prefix: string): AsyncGenerator<Subscription> {
    for (let after = prefix; ;) {
      const keys = (await store.keys(after, PAGE)).filter(
        (key) => key.startsWith(prefix) && !key.startsWith(LAST),
      );
      for (const key of keys) {
        const subscription = await read(key);
        if (subscription !== undefined) yield subscription;
      }
      const end = keys.at(-1);
      if (end === undefined) return;
      after = end;
    }
  }

  async function listOf(prefix: string): Promise<readonly Subscription[]> {
    const found: Subscription[] = [];
    for await (const subscription of under(prefix)) found.push(subscription);
    return found;
  }

  async function lastNumber(workspaceId: string): Promise<number> {
    const noted = z
      .number()
      .catch(0)
      .parse(await store.get(`${LAST}${workspaceId}`));
    const numbers = (await listOf(`${workspaceId}:`)).map(({ id }) => Number(id));
    return Math.max(noted, ...numbers);
  }

  return {
    of: (workspaceId) => listOf(`${workspaceId}:`),
    all: () => under(''),
    one: (workspaceId, id) => read(keyOf(workspaceId, id)),

    add: (content) =>
      inTurn(async () => {
        const { workspaceId } = content;
        for (let number = (await lastNumber(workspaceId)) + 1; ; number += 1) {
          const subscription = { ...content, id: String(number) };
          if (await store.add(keyOf(workspaceId, subscription.id), subscription)) return subscription;
        }
      }),

    change: (workspaceId, id, change) =>
      inTurn(async () => {
        const now = await read(keyOf(workspaceId, id));
        if (now === undefined) return undefined;
        const changed = change(now);
        if (changed !== now) await store.set(keyOf(workspaceId, id), changed);
        return changed;
      }),

    remove: (workspaceId, id) =>
      inTurn(async () => {
        const now = await read(keyOf(workspaceId, id));
        if (now === undefined) return undefined;
        // First: its number must not be given again, since deliveries go by it.
        await store.set(`${LAST}${workspaceId}`, await lastNumber(workspaceId));
        return (await store.delete(keyOf(workspaceId, id))) ? now : undefined;
      }),
  };
}
