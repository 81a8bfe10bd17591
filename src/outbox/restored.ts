import { z } from 'zod';
import { sql } from '../database/database.ts';
import type { Database, Sql } from '../database/database.ts';

/*
 * After a restore from a backup. What was posted since the backup isn't known to have been, so it's treated like a post
 * whose answer was lost: `attempted_at` says that there may be one, and since when.
 */

/** How far the service's clock may be ahead of ours. */
const CLOCKS_APART_MS = 3 * 60_000;
/** Sessions are looked up, and webhooks come again, for eight days. */
export const COMES_AGAIN_MS = 8 * 24 * 60 * 60_000;

/**
 * When a new delivery may have been posted before; NULL where it can't have been.
 *
 * @param since when it could have been posted at the earliest; undefined if only this row can ever have led to a post
 */
export const mayBePostedSince = (since: number | undefined): Sql =>
  since === undefined
    ? sql`CAST(NULL AS BIGINT)`
    : sql`(SELECT CAST(${since} AS BIGINT) FROM restores WHERE restored_at >= ${since - CLOCKS_APART_MS} LIMIT 1)`;

/** Says of everything in the backup that isn't posted that it may be. For the start: repeating it does no harm. */
export async function doubtUnposted(database: Pick<Database, 'read' | 'write'>): Promise<void> {
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

/** Removes a mark once nothing from before it comes again. */
export const removeOldRestores = (until: number, limit: number): Sql =>
  sql`DELETE FROM restores WHERE restored_at IN (
    SELECT restored_at FROM restores WHERE restored_at <= ${until - COMES_AGAIN_MS} LIMIT ${limit})`;
