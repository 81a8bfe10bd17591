import type { Finding } from '../views/findings.ts';
import { count } from '../views/text.ts';
import type { Check } from './examine.ts';

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
