import type { Database } from '../database/database.ts';
import type { Finding } from './findings.ts';
import { count } from '../messages/text.ts';
import { createOverview } from '../outbox/overview.ts';
import type { Check } from './examine.ts';

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

/** Summaries and digests that aren't delivered. */
export interface Undelivered {
  /** How many have waited for more than a minute. */
  readonly late: number;
  /** How many have failed and can still be retried. */
  readonly failed: number;
}

const ABOUT = 'Summaries';

function findingOf({ late, failed }: Undelivered): Finding {
  if (late === 0 && failed === 0) {
    return { about: ABOUT, state: 'ok', says: 'All summaries delivered.' };
  }
  const lateOnes =
    late === 0 ? [] : [`${count(late, 'summary', 'summaries')} waiting for more than a minute.`];
  const failedOnes =
    failed === 0 ? [] : [`Couldn’t deliver ${count(failed, 'summary', 'summaries')} in the last 30 days.`];
  return {
    about: ABOUT,
    state: 'warning',
    says: [...lateOnes, ...failedOnes].join(' '),
    next: 'The app’s Home tab shows admins which ones, why, and what to do.',
  };
}

/** Whether summaries are delivered. */
export function deliveriesCheck(undelivered: () => Promise<Undelivered>): Check {
  return {
    about: ABOUT,
    run: async () => [findingOf(await undelivered())],
  };
}
