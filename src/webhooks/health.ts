import { sql, type Sql } from '../database/database.ts';
import { PAUSED_AFTER_MS, isNamed, isPaused, waitsFor, type WebhookAddress } from './addresses.ts';

/* What an address's answers say about it, as statements for the write of a message's outcome. */

/** No address is held for longer. */
const LONGEST_HOLD_MS = 24 * 60 * 60_000;

/** As long again as it has failed, so that the gaps grow: an hour at first, a day in the end. */
const gapAfter = (failingMs: number) => Math.max(PAUSED_AFTER_MS, failingMs);

/** It took something. A wait that it asked for remains, unless it was paused. */
export function worked(address: WebhookAddress, time: number): readonly Sql[] {
  const { failingSince, workedAt } = address;
  if (failingSince === undefined && workedAt !== undefined) return [];
  const wasPaused = isPaused(address, time);
  return [
    sql`UPDATE webhook_addresses SET worked_at = COALESCE(worked_at, ${time}), failing_since = NULL,
        held_until = ${wasPaused ? null : sql`held_until`} WHERE ${isNamed(address)}`,
    // What has failed since then didn't fail by itself: the day after which that is set aside begins anew.
    ...(wasPaused
      ? [
          sql`UPDATE webhook_messages SET failing_since = NULL WHERE ${waitsFor(address)} AND failing_since > ${failingSince ?? 0}`,
        ]
      : []),
  ];
}

/** It didn't take something. @param askedMs how long it asks us to wait @returns `pausedSince` where it's paused by now */
export function refused(
  address: WebhookAddress,
  time: number,
  askedMs = 0,
): { readonly statements: readonly Sql[]; readonly pausedSince?: number } {
  const since = Math.min(time, address.failingSince ?? time);
  const isOut = isPaused({ failingSince: since }, time);
  const waitMs = Math.min(LONGEST_HOLD_MS, Math.max(isOut ? gapAfter(time - since) : 0, askedMs));
  const until = time + waitMs;
  // Five are under way at once, and the longest wait that is asked for holds.
  const longest = sql`CASE WHEN held_until > ${until} THEN held_until ELSE ${until} END`;
  return {
    statements: [
      // Where it's paused, another one may have been taken meanwhile, or an admin wants it tried.
      sql`UPDATE webhook_addresses SET failing_since = COALESCE(failing_since, ${since}),
          held_until = ${waitMs === 0 ? sql`held_until` : longest}
        WHERE ${isNamed(address)} AND off_at IS NULL AND ${isOut ? sql`failing_since = ${since}` : sql`1 = 1`}`,
    ],
    pausedSince: isOut ? since : undefined,
  };
}

/** It's gone for good. What waits for it is dropped by the next round of the limits. */
export const switchedOff = (address: WebhookAddress, time: number): Sql =>
  sql`UPDATE webhook_addresses SET off_at = ${time} WHERE ${isNamed(address)} AND off_at IS NULL`;
