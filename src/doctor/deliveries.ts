import type { Finding } from '../views/findings.ts';
import { count } from '../views/text.ts';
import type { Check } from './examine.ts';

/** Summaries and digests that are not where they belong. */
export interface Undelivered {
  /** How many have waited for more than a minute. */
  readonly late: number;
  /** How many were given up, of those that can still be sent. */
  readonly givenUp: number;
}

const ABOUT = 'Summaries';

function findingOf({ late, givenUp }: Undelivered): Finding {
  if (late === 0 && givenUp === 0) {
    return { about: ABOUT, state: 'ok', says: 'None waits for more than a minute, and none was given up.' };
  }
  const waiting = late === 0 ? [] : [`${count(late, 'waits', 'wait')} for more than a minute.`];
  const failed = givenUp === 0 ? [] : [`${count(givenUp, 'was', 'were')} given up in the last 30 days.`];
  return {
    about: ABOUT,
    state: 'warning',
    says: [...waiting, ...failed].join(' '),
    next: 'See the Home tab of the app: it shows admins which, why, and what to do.',
  };
}

/** Whether what is to be posted is posted. */
export function deliveriesCheck(undelivered: () => Promise<Undelivered>): Check {
  return {
    about: ABOUT,
    run: async () => [findingOf(await undelivered())],
  };
}
