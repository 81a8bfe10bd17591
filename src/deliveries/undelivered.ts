import type { Database } from '../database/database.ts';
import { createOverview } from './overview.ts';

const LATE_AFTER_MS = 60_000;

/**
 * How many deliveries have waited for more than a minute, and how many failed. Read from the database alone, so it
 * works while no app is running.
 *
 * @param workspaceId only this workspace; all if not given
 */
export async function readUndelivered(
  database: Pick<Database, 'read'>,
  now: () => number,
  workspaceId?: string,
): Promise<{ readonly late: number; readonly failed: number }> {
  const overview = createOverview({ database, paceMs: 0, now });
  const late = await overview.waitingSince(now() - LATE_AFTER_MS, workspaceId);
  return { late, failed: (await overview.inTrouble(workspaceId)).failed };
}
