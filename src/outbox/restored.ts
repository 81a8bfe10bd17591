import { z } from 'zod';
import { sql, type Database, type Sql } from '../database/database.ts';

/*
 * After a restore from a backup. What was posted since the backup isn't known to have been, so it's treated like a post
 * whose answer was lost: `attempted_at` says that there may be one, and since when. `insertDelivery` does it for what comes
 * again.
 */

/** Sessions are looked up, and webhooks come again, for eight days. */
export const COMES_AGAIN_MS = 8 * 24 * 60 * 60_000;

/** Says of everything in the backup that isn't posted that it may be. For the start: repeating it does no harm. */
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

/** Marks the database as put back to a backup. @param now milliseconds since 1970 */
export const markRestored = (now: number): Sql =>
  sql`INSERT INTO restores (restored_at) VALUES (${now}) ON CONFLICT DO NOTHING`;

/** Removes a mark once nothing from before it comes again. */
export const removeOldRestores = (until: number, limit: number): Sql =>
  sql`DELETE FROM restores WHERE restored_at IN (
    SELECT restored_at FROM restores WHERE restored_at <= ${until - COMES_AGAIN_MS} LIMIT ${limit})`;
