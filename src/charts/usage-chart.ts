import { z } from 'zod';
import type { Usage } from '../cobrowse/schemas.ts';
import { count } from '../views/text.ts';

/** The last 24 hours beside a day's average of the last 30 days. */
const Pair = z.object({ today: z.number().nonnegative(), usual: z.number().nonnegative() });
type Pair = z.infer<typeof Pair>;

/** What the picture of usage shows; what the service does not tell is left out. */
export const UsageChart = z.object({ sessions: Pair.optional(), minutes: Pair.optional() });
export type UsageChart = z.infer<typeof UsageChart>;

const DAYS = 30;
const SECONDS_A_MINUTE = 60;

function pair(today: number | undefined, month: number | undefined, divisor = 1): Pair | undefined {
  if (today === undefined || month === undefined) return undefined;
  return { today: Math.round(today / divisor), usual: Math.round((month / divisor / DAYS) * 10) / 10 };
}

/** Undefined where the service tells nothing that can be compared. */
export function usageChart({ session_counts, session_seconds }: Usage): UsageChart | undefined {
  const sessions = pair(session_counts.today, session_counts.last_30_days);
  const minutes = pair(session_seconds.today, session_seconds.last_30_days, SECONDS_A_MINUTE);
  if (sessions === undefined && minutes === undefined) return undefined;
  return { ...(sessions === undefined ? {} : { sessions }), ...(minutes === undefined ? {} : { minutes }) };
}

/** The bars of one kind. */
export interface Group {
  readonly title: string;
  readonly pair: Pair;
}

export function groupsOf({ sessions, minutes }: UsageChart): readonly Group[] {
  return [
    ...(sessions === undefined ? [] : [{ title: 'Sessions', pair: sessions }]),
    ...(minutes === undefined ? [] : [{ title: 'Minutes in sessions', pair: minutes }]),
  ];
}

/** The whole picture in words, for who does not see it. */
export function chartInWords(chart: UsageChart): string {
  const words = groupsOf(chart).map(
    ({ title, pair: { today, usual } }) =>
      `${title}: ${today.toLocaleString('en-US')} in the last 24 hours, ${usual.toLocaleString('en-US')} on an average day.`,
  );
  return [`Bar chart of the last 24 hours beside the average of ${count(DAYS, 'day')}.`, ...words].join(' ');
}
