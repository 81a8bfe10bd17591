import { z } from 'zod';
import { sql, type Database, type Sql } from '../database/database.ts';
import { idsFrom } from './delivery.ts';
import { FAILED_KEPT_MS } from './overview.ts';

/** It's simply added again with its next delivery. */
const CHANNELS_KEPT_MS = 90 * 24 * 60 * 60_000;

/** Sessions are looked up, and webhooks come again, for eight days. */
export const COMES_AGAIN_MS = 8 * 24 * 60 * 60_000;

/** Statements that each remove a few expired rows. Deliveries are kept for as long as they can be retried. */
export const deliveryRemovals: readonly ((until: number, limit: number) => Sql)[] = [
  (until, limit) => sql`DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries
    WHERE id < ${idsFrom(until - FAILED_KEPT_MS)} AND settled_at <= ${until - FAILED_KEPT_MS} LIMIT ${limit})`,
  (until, limit) => sql`DELETE FROM channels WHERE (workspace_id, channel_id) IN (
    SELECT workspace_id, channel_id FROM channels
    WHERE next_at IS NULL AND claim IS NULL AND moved_to IS NULL AND open_at <= ${until - CHANNELS_KEPT_MS}
    LIMIT ${limit})`,
  (until, limit) => sql`DELETE FROM restores WHERE restored_at IN (
    SELECT restored_at FROM restores WHERE restored_at <= ${until - COMES_AGAIN_MS} LIMIT ${limit})`,
];

/*
 * What was posted since a restored backup is treated like a post whose answer was lost: `attempted_at` says that there may be
 * one, and since when. `insertDelivery` does it for what comes again.
 */

/** @param now milliseconds since 1970 */
export const markRestored = (now: number): Sql =>
  sql`INSERT INTO restores (restored_at) VALUES (${now}) ON CONFLICT DO NOTHING`;

/** Says of everything in the backup that isn't posted that it may be. Repeating it does no harm. */
export async function markUnposted(database: Pick<Database, 'read' | 'write'>): Promise<void> {
  const [mark] = await database.read(
    sql`SELECT restored_at FROM restores ORDER BY restored_at DESC LIMIT 1`,
    z.object({ restored_at: z.number() }),
  );
  if (mark === undefined) return;
  await database.write(
    sql`UPDATE deliveries SET attempted_at = accepted_at WHERE attempted_at IS NULL
      AND state IN ('waiting', 'asking', 'failed') AND accepted_at <= ${mark.restored_at}`,
  );
}
