import type { LedgerAnswer, Trouble } from '../views/delivery-words.ts';
import type { Deliverable } from './delivery.ts';
import { UNREADABLE, unreadableKey } from './ledger-records.ts';
import type { LedgerRecords } from './ledger-records.ts';
import type { Outbox, Waiting } from './outbox.ts';
import { troubleOf } from './trouble.ts';

/** Longer than the few writes of a retry or a drop can take. */
const HOLD_MS = 30_000;
/** Nobody reads further; counting goes on to here. */
const MOST_COUNTED = 1_000;

/** A delivery in trouble. Times are milliseconds since 1970. */
export type LedgerEntry = {
  readonly id: string;
  /** The channel it goes to, or the person; empty where its record cannot be read and nobody knows. */
  readonly to: string;
  readonly trouble: Trouble;
  /** Whose session it tells of, and who watched; absent in a digest, and where the record cannot be read. */
  readonly about?: { readonly visitorId: string; readonly userId: string };
} & (
  | {
      readonly state: 'waiting';
      readonly acceptedAt: number;
      readonly attempts: number;
      readonly nextAt: number;
    }
  | { readonly state: 'failed'; readonly failedAt: number }
);

/** The deliveries that are not where they belong, and what an admin may do about each. */
export interface Ledger {
  /** Those that wait with a reason, oldest first, then those given up, newest first; `more` there are beyond the limit. */
  list(
    workspaceId: string,
    limit: number,
  ): Promise<{ readonly entries: readonly LedgerEntry[]; readonly more: number }>;
  /** Sends a delivery on its way at once, also one that was given up. Twice is as good as once. */
  retry(workspaceId: string, id: string): Promise<LedgerAnswer>;
  /** Takes a delivery off for good. */
  drop(workspaceId: string, id: string, userId: string): Promise<LedgerAnswer>;
}

interface LedgerParts {
  readonly outbox: Outbox;
  readonly records: LedgerRecords;
  /** Sets out with a delivery at once. */
  readonly setOut: (id: string, delivery: Deliverable) => void;
  /** Whether an attempt is being made just now, in this process, or its end is still to be written down. */
  readonly isUnderWay: (id: string) => boolean;
  readonly now: () => number;
}

function aboutOf(delivery: Deliverable): Pick<LedgerEntry, 'about'> {
  if ('digest' in delivery) return {};
  const { visitorId, userId } = delivery.grant;
  return { about: { visitorId, userId } };
}

const isOf = (workspaceId: string, id: string) => id.startsWith(`${workspaceId}:`);

export function createLedger({ outbox, records, setOut, isUnderWay, now }: LedgerParts): Ledger {
  async function* troubled(workspaceId: string): AsyncGenerator<LedgerEntry> {
    const seen = new Set<string>();
    for await (const { id, to, acceptedAt, attempts, nextAt, ...why } of records.waits.all(workspaceId)) {
      const waiting = await outbox.look(id);
      // Left over from a kill, where it does not wait any more.
      if (waiting === undefined || seen.has(id)) continue;
      const isUnreadable = 'error' in waiting;
      // Left over, too, where it can be read again.
      if (why.reason === UNREADABLE && !isUnreadable) continue;
      seen.add(id);
      const trouble = troubleOf(isUnreadable ? { reason: UNREADABLE } : why);
      const about = isUnreadable ? {} : aboutOf(waiting.delivery);
      yield { state: 'waiting', id, to, trouble, ...about, acceptedAt, attempts, nextAt };
    }
    for await (const { id, to, failedAt, delivery, ...why } of records.givenUp.all(workspaceId)) {
      const settlement = await outbox.settlement(id);
      // Sent once more meanwhile, or dropped.
      if (settlement?.outcome !== 'failed' || settlement.settledAt !== failedAt) continue;
      yield { state: 'failed', id, to, trouble: troubleOf(why), ...aboutOf(delivery), failedAt };
    }
  }

  /** Does something with a delivery that no courier may touch meanwhile. */
  async function holding(id: string, work: () => Promise<LedgerAnswer>): Promise<LedgerAnswer> {
    if (!(await outbox.hold(id, HOLD_MS))) return 'busy';
    try {
      return await work();
    } finally {
      await outbox.letGo(id);
    }
  }

  async function forgetWaits(workspaceId: string, waiting: Waiting): Promise<void> {
    const { id } = waiting;
    if ('delivery' in waiting)
      return records.waits.delete({ workspaceId, at: waiting.delivery.acceptedAt, id });
    await records.waits.delete(unreadableKey(workspaceId, id));
    // What was known before its record was damaged is kept under a time that the record alone said.
    for await (const { id: other, acceptedAt: at } of records.waits.all(workspaceId))
      if (other === id) await records.waits.delete({ workspaceId, at, id });
  }

  /** @param reopened told of what waits again */
  async function reopen(
    workspaceId: string,
    id: string,
    reopened: (delivery: Deliverable) => void,
  ): Promise<LedgerAnswer> {
    const settlement = await outbox.settlement(id);
    if (settlement?.outcome !== 'failed') return settlement?.outcome ?? 'unknown';
    const aged = { workspaceId, at: settlement.settledAt, id };
    const kept = await records.givenUp.get(aged);
    if (kept === undefined) return 'unknown';
    const delivery = { ...kept.delivery, retriedAt: now() };
    await outbox.reopen(id, delivery, kept.begunAt);
    reopened(delivery);
    await records.givenUp.delete(aged);
    return 'retried';
  }

  return {
    async list(workspaceId, limit) {
      const entries: LedgerEntry[] = [];
      let more = 0;
      for await (const entry of troubled(workspaceId)) {
        if (entries.length < limit) entries.push(entry);
        else more += 1;
        if (more === MOST_COUNTED) break;
      }
      return { entries, more };
    },

    async retry(workspaceId, id) {
      if (!isOf(workspaceId, id)) return 'unknown';
      const waiting = await outbox.look(id);
      if (waiting !== undefined && 'error' in waiting) return 'unreadable';
      // What waits has its courier: it only need not wait for its time.
      let delivery = waiting?.delivery;
      try {
        if (delivery !== undefined) return 'retried';
        return await holding(id, () => reopen(workspaceId, id, (reopened) => void (delivery = reopened)));
      } finally {
        // Also where a write after that failed: it waits again, and nobody else would set out with it.
        if (delivery !== undefined) setOut(id, delivery);
      }
    },

    async drop(workspaceId, id, userId) {
      if (!isOf(workspaceId, id)) return 'unknown';
      // What came of it is not on disk yet, though its claim may be over.
      if (isUnderWay(id) && (await outbox.look(id)) !== undefined) return 'busy';
      return holding(id, async () => {
        const waiting = await outbox.look(id);
        const settlement = await outbox.settlement(id);
        if (waiting === undefined && settlement?.outcome !== 'failed')
          return settlement?.outcome ?? 'unknown';
        const delivery = waiting !== undefined && 'delivery' in waiting ? waiting.delivery : undefined;
        const to = delivery?.to ?? settlement?.to ?? '';
        await outbox.settle(id, { outcome: 'dropped', droppedBy: userId, to, settledAt: now() });
        if (waiting !== undefined) await forgetWaits(workspaceId, waiting);
        if (settlement !== undefined)
          await records.givenUp.delete({ workspaceId, at: settlement.settledAt, id });
        return 'dropped';
      });
    },
  };
}
