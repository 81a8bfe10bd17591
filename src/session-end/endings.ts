import { noticeId, workspaceOf } from './delivery.ts';
import type { Deliverable, Delivery, Settlement } from './delivery.ts';
import { failingSince } from './failing-since.ts';
import type { LaneName } from './lane.ts';
import { UNREADABLE, unreadableKey } from './ledger-records.ts';
import type { LedgerRecords } from './ledger-records.ts';
import type { Outbox } from './outbox.ts';
import { troubleKind } from './trouble.ts';

/** Told of every attempt's outcome, for log and metrics. `wasThere`: an earlier post whose answer was lost had arrived. */
export type DeliveryReport = (
  outcome: Settlement['outcome'] | 'later' | 'broken',
  detail: {
    readonly id: string;
    readonly reason?: string;
    readonly wasThere?: true;
    readonly error?: unknown;
  },
) => void;

/** What came of an attempt. `reason` is Slack's code, or ours. */
export type Told =
  | { readonly outcome: 'posted' }
  | { readonly outcome: 'later' | 'failed' | 'skipped'; readonly reason: string };

/**
 * Told of what came of an attempt, after it is on disk. At least once in the life of a process, not more: whoever
 * needs to know after a kill has the next delivery's outcome.
 */
export type Tell = (delivery: Deliverable, told: Told) => Promise<void>;

interface EndingsParts {
  readonly outbox: Outbox;
  readonly records: LedgerRecords;
  readonly tell: Tell;
  readonly report: DeliveryReport;
  /** Accepts a delivery that follows another, and sets out with it. */
  readonly follow: (id: string, delivery: Deliverable) => Promise<unknown>;
  readonly now: () => number;
}

/** A delivery that an attempt was made with, under its claim. */
export interface Tried {
  readonly id: string;
  readonly delivery: Deliverable;
  /** Of an attempt whose outcome nobody knows, ms since 1970. */
  readonly begunAt: number | undefined;
}

/** What is known of a delivery whose record cannot be read, beside its id. */
interface Unreadable extends LaneName {
  /** Since when it waits, as far as is known, ms since 1970. */
  readonly since: number;
  readonly nextAt: number;
  readonly error: unknown;
}

/** Why it is not posted. `unclear`: perhaps it is. */
interface Refused {
  readonly reason: string;
  readonly neededScope?: string | undefined;
  readonly unclear?: true | undefined;
  /** What failed, where it was not Slack's answer to the post. */
  readonly error?: unknown;
}

const agedBy = (delivery: Deliverable, at: number, id: string) => ({
  workspaceId: workspaceOf(delivery),
  at,
  id,
});

/** The summary itself, and nothing that goes beside or after it. */
function isSummary(delivery: Deliverable): delivery is Delivery {
  if ('digest' in delivery) return false;
  const { notPosted, isDetail, subscription } = delivery;
  return notPosted === undefined && isDetail === undefined && subscription === undefined;
}

export type Endings = ReturnType<typeof createEndings>;

/** What becomes of a delivery after an attempt, written down before anybody is told. */
export function createEndings({ outbox, records, tell, report, follow, now }: EndingsParts) {
  /** How deliveries ended that the store has not taken down yet: to post them again would double them. */
  const unwritten = new Map<string, () => Promise<void>>();

  async function telling(id: string, delivery: Deliverable, told: Told): Promise<void> {
    try {
      await tell(delivery, told);
    } catch (error) {
      // The delivery itself is where it belongs: to try it again would double it.
      report('broken', { id, error });
    }
  }

  async function write(id: string, work: () => Promise<void>): Promise<void> {
    unwritten.set(id, work);
    await work();
    unwritten.delete(id);
  }

  async function settle(id: string, delivery: Deliverable, settlement: Settlement): Promise<void> {
    // Both at once, so that they cost one wait for the disk.
    await Promise.all([
      outbox.settle(id, settlement),
      records.waits.delete(agedBy(delivery, delivery.acceptedAt, id)),
    ]);
  }

  return {
    /** Whether it ended, and the store has not taken that down yet. */
    isUnwritten: (id: string): boolean => unwritten.has(id),

    /** Writes down what could not be written before. @returns whether there was something */
    async catchUp(id: string): Promise<boolean> {
      const work = unwritten.get(id);
      if (work === undefined) return false;
      await write(id, work);
      return true;
    },

    posted({ id, delivery }: Tried, ts: string | undefined, wasThere: true | undefined): Promise<void> {
      const { to } = delivery;
      const settlement: Settlement = {
        outcome: 'posted',
        to,
        settledAt: now(),
        ...(ts === undefined ? {} : { ts }),
      };
      return write(id, async () => {
        await settle(id, delivery, settlement);
        report('posted', { id, ...(wasThere === undefined ? {} : { wasThere }) });
        await telling(id, delivery, { outcome: 'posted' });
      });
    },

    skipped({ id, delivery }: Tried, reason: string): Promise<void> {
      const settlement: Settlement = { outcome: 'skipped', reason, to: delivery.to, settledAt: now() };
      return write(id, async () => {
        await settle(id, delivery, settlement);
        report('skipped', { id, reason });
        await telling(id, delivery, { outcome: 'skipped', reason });
      });
    },

    /** How long a delivery has been tried in vain, ms; zero where this is the first time. */
    async failingFor({ id, delivery }: Tried): Promise<number> {
      const waits = await records.waits.get(agedBy(delivery, delivery.acceptedAt, id));
      return now() - (failingSince(waits, now()) ?? now());
    },

    /** Keeps the delivery with its reason, and sends what it said to the agent instead. */
    async givenUp({ id, delivery, begunAt }: Tried, refused: Refused): Promise<void> {
      const { to } = delivery;
      const { reason, neededScope, unclear } = refused;
      const failedAt = now();
      const why = { reason, ...(neededScope === undefined ? {} : { neededScope }) };
      const since = begunAt ?? (unclear === undefined ? undefined : failedAt);
      // Before the first is settled, so that none is lost.
      if (isSummary(delivery) && to !== delivery.grant.userId) {
        const { threadTs: _, retriedAt: __, ...rest } = delivery;
        const { userId } = delivery.grant;
        await follow(noticeId(id), { ...rest, to: userId, acceptedAt: failedAt, notPosted: { to, ...why } });
      }
      return write(id, async () => {
        const kept = {
          id,
          to,
          ...why,
          delivery,
          failedAt,
          ...(since === undefined ? {} : { begunAt: since }),
        };
        await records.givenUp.set(agedBy(delivery, failedAt, id), kept);
        await settle(id, delivery, { outcome: 'failed', ...why, to, settledAt: failedAt });
        report('failed', { id, reason });
        await telling(id, delivery, { outcome: 'failed', reason });
      });
    },

    /** Its record cannot be read: it is kept, shown in the ledger, and tried again at `nextAt`. */
    async unreadable(id: string, { workspaceId, to, since, nextAt, error }: Unreadable): Promise<void> {
      const aged = unreadableKey(workspaceId, id);
      const before = await records.waits.get(aged);
      await records.waits.set(aged, {
        id,
        to,
        reason: UNREADABLE,
        acceptedAt: before?.acceptedAt ?? since,
        attempts: (before?.attempts ?? 0) + 1,
        nextAt,
      });
      report('broken', { id, error });
    },

    /** Lets go of it with its reason, to be tried again at `nextAt`. */
    async putOff({ id, delivery, begunAt }: Tried, refused: Refused, nextAt: number): Promise<void> {
      const { to, acceptedAt } = delivery;
      const { reason, neededScope, unclear, error } = refused;
      const aged = agedBy(delivery, acceptedAt, id);
      const before = await records.waits.get(aged);
      const scope = neededScope === undefined ? {} : { neededScope };
      const isItself = troubleKind(reason) !== 'refused-token';
      await records.waits.set(aged, {
        id,
        to,
        reason,
        ...scope,
        acceptedAt,
        attempts: (before?.attempts ?? 0) + 1,
        nextAt,
        ...(isItself ? { failingSince: failingSince(before, now()) ?? now() } : {}),
      });
      // A mark of an earlier attempt stays: that one may still arrive.
      await outbox.release(id, unclear === true || begunAt !== undefined);
      report('later', { id, reason, error });
      await telling(id, delivery, { outcome: 'later', reason });
    },
  };
}
