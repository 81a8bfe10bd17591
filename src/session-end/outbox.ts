import { z } from 'zod';
import { StorageError } from '../storage/errors.ts';
import type { Store } from '../storage/store.ts';
import { Delivery, Settlement } from './delivery.ts';

/** How long a settled delivery is remembered: a webhook that comes again this late is still a duplicate. */
const REMEMBERED_MS = 90 * 24 * 60 * 60 * 1_000;
const PAGE = 500;

interface OutboxStores {
  /** What was accepted and not yet posted. */
  readonly waiting: Store;
  /** What was posted or given up, the truth about both. */
  readonly settled: Store;
  /** Who is posting what just now: a claim that a killed process loses by itself. */
  readonly claims: Store;
}

export type Claim =
  | { readonly state: 'claimed'; readonly delivery: Delivery }
  /** Another process has it. */
  | { readonly state: 'held' }
  /** Posted or given up meanwhile. */
  | { readonly state: 'gone' };

/** A delivery that waits, or why its record cannot be read. */
export type Waiting = { readonly id: string } & (
  | { readonly delivery: Delivery }
  | { readonly error: unknown }
);

/** The durable queue of summaries: accepted once, claimed by one, settled once. */
export interface Outbox {
  accept(id: string, delivery: Delivery): Promise<'accepted' | 'duplicate'>;
  claim(id: string, leaseMs: number): Promise<Claim>;
  release(id: string): Promise<void>;
  settle(id: string, settlement: Settlement): Promise<void>;
  /** All that waits, a page at a time, in no order of time. */
  waiting(): AsyncGenerator<Waiting>;
  /** How a delivery ended, undefined while it waits or where there is none. */
  settlement(id: string): Promise<Settlement | undefined>;
}

const isCorrupt = (error: unknown) => error instanceof StorageError && error.kind === 'corrupt';

export function createOutbox({ waiting, settled, claims }: OutboxStores): Outbox {
  const isSettled = async (id: string) => (await settled.get(id)) !== undefined;

  async function read(id: string): Promise<Waiting | undefined> {
    try {
      const stored = await waiting.get(id);
      // Posted by another process since its key was read.
      return stored === undefined ? undefined : { id, delivery: Delivery.parse(stored) };
    } catch (error) {
      // One broken record must not keep all others from their channels.
      if (error instanceof z.ZodError || isCorrupt(error)) return { id, error };
      throw error;
    }
  }

  return {
    async accept(id, delivery) {
      if (await isSettled(id)) return 'duplicate';
      if (!(await waiting.add(id, delivery))) return 'duplicate';
      // It may have been settled between the look and the add: then the add brought it back.
      if (!(await isSettled(id))) return 'accepted';
      await waiting.delete(id);
      return 'duplicate';
    },

    async claim(id, leaseMs) {
      if (!(await claims.add(id, true, leaseMs))) return { state: 'held' };
      const stored = await waiting.get(id);
      if (stored !== undefined && !(await isSettled(id))) {
        return { state: 'claimed', delivery: Delivery.parse(stored) };
      }
      // Killed between the two writes of `settle`: finish it.
      if (stored !== undefined) await waiting.delete(id);
      await claims.delete(id);
      return { state: 'gone' };
    },

    release: async (id) => void (await claims.delete(id)),

    async settle(id, settlement) {
      // In this order: killed in between, the delivery is settled and only its queue entry is left over.
      await settled.set(id, settlement, REMEMBERED_MS);
      await waiting.delete(id);
      await claims.delete(id);
    },

    async *waiting() {
      let last = '';
      for (;;) {
        const ids = await waiting.keys(last, PAGE);
        for (const id of ids) {
          const entry = await read(id);
          if (entry !== undefined) yield entry;
        }
        const end = ids.at(-1);
        if (end === undefined || ids.length < PAGE) return;
        last = end;
      }
    },

    async settlement(id) {
      const stored = await settled.get(id);
      return stored === undefined ? undefined : Settlement.parse(stored);
    },
  };
}
