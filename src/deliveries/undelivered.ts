import type { Database } from '../database/database.ts';
import { createOverview } from './overview.ts';

const LATE_AFTER_MS = 60_000;

/**
 * How many deliveries have waited for more than a minute, and how many were given up: by the database alone, also where no
 * app runs.
 *
 * @param workspaceId of this workspace alone; of all where it isn't given
 */
export async function readUndelivered(
  database: Pick<Database, 'read'>,
  now: () => number,
  workspaceId?: string,
): Promise<{ readonly late: number; readonly givenUp: number }> {
  const overview = createOverview({ database, paceMs: 0, now });
  const late = await overview.waitingSince(now() - LATE_AFTER_MS, workspaceId);
  return { late, givenUp: (await overview.inTrouble(workspaceId)).failed };
}
