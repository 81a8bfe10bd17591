import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { DatabaseError } from '../database/errors.ts';
import type { Store } from '../storage/store.ts';
import { Deliverable, Settlement } from './delivery.ts';

/** How long a settled delivery is remembered: a webhook that comes again this late is still a duplicate. */
const REMEMBERED_MS = 90 * 24 * 60 * 60 * 1_000;
const PAGE = 500;

interface OutboxParts {
  /** What was accepted and not yet posted. */
  readonly waiting: Store;
  /** What was posted or given up, the truth about both. */
  readonly settled: Store;
  /** Who is posting what just now: a claim that a killed process loses by itself. */
  readonly claims: Store;
  /** Since when a delivery may be in its channel though nobody knows: an attempt was begun, and no answer taken down. */
  readonly begun: Store;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export type Claim =
  /** `begunAt`: an earlier attempt of this delivery, ms since 1970, whose outcome nobody knows. */
  | { readonly state: 'claimed'; readonly delivery: Deliverable; readonly begunAt?: number }
  /** Another process has it. */
  | { readonly state: 'held' }
  /** Posted or given up meanwhile. */
  | { readonly state: 'gone' }
  /** Its record cannot be read; nobody holds it. */
  | { readonly state: 'unreadable'; readonly error: unknown };

/** A delivery that waits, or why its record cannot be read. */
export type Waiting = { readonly id: string } & (
  | { readonly delivery: Deliverable }
  | { readonly error: unknown }
);

/** The durable queue of summaries: accepted once, claimed by one, settled once. */
export interface Outbox {
  accept(id: string, delivery: Deliverable): Promise<'accepted' | 'duplicate'>;
  claim(id: string, leaseMs: number): Promise<Claim>;
  /**
   * Makes a claim last from now on, where a third of it is over.
   *
   * @throws Error (by rejecting) where all of it was over and another process has it
   */
  renew(id: string, leaseMs: number): Promise<void>;
  /** @param unclear whether the attempt may have posted it */
  release(id: string, unclear?: boolean): Promise<void>;
  /** Keeps every courier from a delivery, as a claim does: false where somebody has it. */
  hold(id: string, leaseMs: number): Promise<boolean>;
  letGo(id: string): Promise<void>;
  /** What waits under an id, undefined where it does not wait. Rejects where its record cannot be read. */
  get(id: string): Promise<Deliverable | undefined>;
  /** The same, but tells of a record that cannot be read. */
  look(id: string): Promise<Waiting | undefined>;
  /**
   * Puts back what was given up, so that it waits again. For who holds it.
   *
   * @param begunAt of an attempt whose outcome nobody knows
   */
  reopen(id: string, delivery: Deliverable, begunAt: number | undefined): Promise<void>;
  settle(id: string, settlement: Settlement): Promise<void>;
  /** All that waits, a page at a time, in no order of time. @param isKnown those are left out, unread */
  waiting(isKnown?: (id: string) => boolean): AsyncGenerator<Waiting>;
  /** How a delivery ended, undefined while it waits or where there is none. */
  settlement(id: string): Promise<Settlement | undefined>;
}

const isCorrupt = (error: unknown) => error instanceof DatabaseError && error.kind === 'corrupt';

const Begun = z.number();
/** By `owner` a process knows its own. */
const Claimed = z.object({ owner: z.string(), at: z.number() });

export function createOutbox({ waiting, settled, claims, begun, now }: OutboxParts): Outbox {
  const owner = randomUUID();
  const takeFree = (id: string, leaseMs: number) => claims.add(id, { owner, at: now() }, leaseMs);

  async function claim(id: string, leaseMs: number): Promise<boolean> {
    if (await takeFree(id, leaseMs)) return true;
    const held = Claimed.safeParse(await claims.get(id)).data;
    // Where the clock was put back since, a dead process's claim would last for as long as that.
    const isStale = held !== undefined && held.owner !== owner && held.at > now() + leaseMs;
    if (!isStale) return false;
    await claims.delete(id);
    return takeFree(id, leaseMs);
  }
  const isSettled = async (id: string) => (await settled.get(id)) !== undefined;

  /** What is kept of a delivery while it waits. */
  const forget = (id: string) => Promise.all([waiting, claims, begun].map((store) => store.delete(id)));

  async function read(id: string): Promise<Waiting | undefined> {
    try {
      const stored = await waiting.get(id);
      // Posted by another process since its key was read.
      return stored === undefined ? undefined : { id, delivery: Deliverable.parse(stored) };
    } catch (error) {
      // One broken record must not keep all others from their channels.
      if (error instanceof z.ZodError || isCorrupt(error)) return { id, error };
      throw error;
    }
  }

  async function look(id: string): Promise<Waiting | undefined> {
    const entry = await read(id);
    return entry === undefined || (await isSettled(id)) ? undefined : entry;
  }

  async function release(id: string, unclear = false): Promise<void> {
    await Promise.all([claims.delete(id), ...(unclear ? [] : [begun.delete(id)])]);
  }

  return {
    async accept(id, delivery) {
      if (await isSettled(id)) return 'duplicate';
      if (!(await waiting.add(id, delivery))) return 'duplicate';
      // It may have been settled between the look and the add: then the add brought it back. Where that cannot be read it
      // is accepted all the same, since it is on disk, and each claim looks once more.
      if (!(await isSettled(id).catch(() => false))) return 'accepted';
      await waiting.delete(id);
      return 'duplicate';
    },

    async claim(id, leaseMs) {
      // Both at once, so that they cost one wait for the disk. A mark that is there stays as it is: it is the older one.
      const [claimed, isFirst] = await Promise.all([claim(id, leaseMs), begun.add(id, now())]);
      if (!claimed) return { state: 'held' };
      const entry = await look(id);
      if (entry === undefined) {
        // Killed between the writes of `settle`: finish it.
        await forget(id);
        return { state: 'gone' };
      }
      if ('error' in entry) {
        await release(id, !isFirst);
        return { state: 'unreadable', error: entry.error };
      }
      const { delivery } = entry;
      return isFirst
        ? { state: 'claimed', delivery }
        : { state: 'claimed', delivery, begunAt: Begun.parse(await begun.get(id)) };
    },

    async renew(id, leaseMs) {
      const claimed = Claimed.safeParse(await claims.get(id)).data;
      if (claimed?.owner === owner) {
        const isFresh = Math.abs(now() - claimed.at) < leaseMs / 3;
        return isFresh ? undefined : claims.set(id, { owner, at: now() }, leaseMs);
      }
      if (!(await claim(id, leaseMs))) throw new Error('Another process is posting this delivery');
    },

    release,
    hold: claim,
    letGo: async (id) => void (await claims.delete(id)),

    look,
    async get(id) {
      const entry = await look(id);
      if (entry !== undefined && 'error' in entry) throw entry.error;
      return entry?.delivery;
    },

    async reopen(id, delivery, begunAt) {
      if (begunAt !== undefined) await begun.set(id, begunAt);
      // In this order: killed in between, the delivery is given up as before and its queue entry is left over.
      await waiting.set(id, delivery);
      await settled.delete(id);
    },

    async settle(id, settlement) {
      // In this order: killed in between, the delivery is settled and only its queue entry is left over.
      await settled.set(id, settlement, REMEMBERED_MS);
      await forget(id);
    },

    async *waiting(isKnown = () => false) {
      let last = '';
      for (;;) {
        const ids = await waiting.keys(last, PAGE);
        for (const id of ids) {
          if (isKnown(id)) continue;
          const entry = await read(id);
          if (entry !== undefined) yield entry;
        }
        const end = ids.at(-1);
        if (end === undefined || ids.length < PAGE) return;
        last = end;
        // Ten thousand may wait: whoever asks for something meanwhile is answered in between.
        await nextTurn();
      }
    },

    async settlement(id) {
      const stored = await settled.get(id);
      return stored === undefined ? undefined : Settlement.parse(stored);
    },
  };
}
