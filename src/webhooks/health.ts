import { hasChanged, sql, type Database, type Sql } from '../database/database.ts';
import {
  PAUSED_AFTER_MS,
  forgiveFailing,
  isNamed,
  isPaused,
  type WebhookAddress,
  type WebhookAddresses,
} from './addresses.ts';
import { LONGEST_HOLD_MS } from './places.ts';

/** Queues what the person who added an address is told about it, once each time. */
export type TellOwner = (about: 'paused' | 'off', address: WebhookAddress, since: number) => readonly Sql[];

/** As long again as it has failed, so that the gaps grow: an hour at first, a day in the end. */
const gapAfter = (failingMs: number) => Math.min(LONGEST_HOLD_MS, Math.max(PAUSED_AFTER_MS, failingMs));

/** Writes down what an address's answers say about it. All reject with a DatabaseError. */
export function createAddressHealth({
  database,
  addresses,
  tellOwner,
  wakeSlack,
  now,
}: {
  readonly database: Pick<Database, 'write' | 'writeIf'>;
  readonly addresses: Pick<WebhookAddresses, 'changed' | 'worked'>;
  readonly tellOwner: TellOwner;
  /** Called when somebody is to be told. */
  readonly wakeSlack: () => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}) {
  return {
    /** It took something. A wait that it asked for remains, unless that was before. */
    async took(address: WebhookAddress): Promise<void> {
      const { failingSince, workedAt } = address;
      if (workedAt === undefined) await addresses.worked(address);
      if (failingSince === undefined) return;
      const wasPaused = isPaused(address, now());
      await database.write(
        sql`UPDATE webhook_addresses SET failing_since = NULL, held_until = ${wasPaused ? null : sql`held_until`}
          WHERE ${isNamed(address)}`,
        ...(wasPaused ? [forgiveFailing(address, failingSince)] : []),
      );
    },

    /** It didn't take something. @param askedMs how long it asks us to wait, if it does */
    async refused(address: WebhookAddress, askedMs = 0): Promise<void> {
      const time = now();
      const since = Math.min(time, address.failingSince ?? time);
      const isOut = isPaused({ failingSince: since }, time);
      const waitMs = Math.max(isOut ? gapAfter(time - since) : 0, Math.min(askedMs, LONGEST_HOLD_MS));
      if (address.failingSince === since && waitMs === 0) return;
      const until = time + waitMs;
      // Five are under way at once, and the longest wait that is asked for holds.
      const later = sql`CASE WHEN held_until > ${until} AND held_until <= ${time + LONGEST_HOLD_MS} THEN held_until
        ELSE ${until} END`;
      // Another one may have been taken meanwhile, or an admin wants it tried.
      const isStill = isOut ? sql`failing_since = ${since}` : sql`1 = 1`;
      const written = await database.writeIf(
        sql`UPDATE webhook_addresses SET
            failing_since = CASE WHEN failing_since <= ${time} THEN failing_since ELSE ${since} END,
            held_until = ${waitMs === 0 ? sql`held_until` : later}
          WHERE ${isNamed(address)} AND off_at IS NULL AND ${isStill}`,
        ...(isOut ? tellOwner('paused', address, since) : []),
      );
      if (isOut && written?.some(hasChanged) === true) wakeSlack();
    },

    /** It's gone for good: what waits for it is dropped by the next round of the limits. */
    async gone(address: WebhookAddress): Promise<void> {
      const time = now();
      await database.writeIf(
        sql`UPDATE webhook_addresses SET off_at = ${time} WHERE ${isNamed(address)} AND off_at IS NULL`,
        ...tellOwner('off', address, time),
      );
      addresses.changed(address.workspaceId);
      wakeSlack();
    },
  };
}
export type AddressHealth = ReturnType<typeof createAddressHealth>;
