import { createHash } from 'node:crypto';
import type { Store } from '../storage/store.ts';

/** Each opening waits twice: with the page that is held, and with the one that says so. */
const MOST = 6;
/** Longer than a ticket is good for. */
const REMEMBERED_MS = 60 * 60 * 1_000;
/** Longer than a press may take to reach us. */
const LATE_MS = 2 * 60 * 1_000;

/**
 * How often an address waited for a press in vain. Without an end to it, whoever copied the address could wait there
 * for its owner's next press, and be there first.
 */
export interface VainOpenings {
  tooMany(ticket: string): Promise<boolean>;
  /** True where that was one too many: from now on the address opens nothing. */
  count(ticket: string): Promise<boolean>;
  /** No page of this button takes its press any more: for good, or because the page waited long enough. @param key from `pressKeyOf` */
  giveUp(key: string, forGood: boolean): Promise<void>;
  /** Whether a page of this button has stopped waiting, so that its press may find none. */
  hasGivenUp(key: string): Promise<boolean>;
}

const gaveUpPlace = (key: string) => `gave-up:${key}`;
const place = (ticket: string, time: number) =>
  `${createHash('sha256').update(ticket).digest('base64url')}:${time}`;

export function createVainOpenings(store: Store): VainOpenings {
  return {
    tooMany: async (ticket) => (await store.get(place(ticket, MOST))) !== undefined,
    async count(ticket) {
      // Each takes a place of its own, however many come at once.
      for (let time = 1; time <= MOST; time += 1) {
        if (await store.add(place(ticket, time), true, REMEMBERED_MS)) return time === MOST;
      }
      return false;
    },
    async giveUp(key, forGood) {
      if (forGood) await store.set(gaveUpPlace(key), true, REMEMBERED_MS);
      // What is for good stays so.
      else await store.add(gaveUpPlace(key), true, LATE_MS);
    },
    hasGivenUp: async (key) => (await store.get(gaveUpPlace(key))) !== undefined,
  };
}
