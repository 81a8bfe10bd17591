import { MOST_NAMED } from '../model/digest.ts';
import type { Digest } from '../model/digest.ts';
import type { Schedule } from '../model/schedule.ts';
import { barLabel } from './periods.ts';
import type { CountedPeriod, SessionCounts } from './session-counts.ts';

/**
 * The digest of a period.
 *
 * @param nameOf what Slack calls a user; undefined where it does not say. Asked only about those who are named
 */
export async function digestOf(
  counts: SessionCounts,
  { schedule, period }: { readonly schedule: Schedule; readonly period: CountedPeriod },
  nameOf: (userId: string) => Promise<string | undefined>,
): Promise<Digest> {
  const { sessions, notAccepted, seconds, users, features, outcomes, bars } = counts;
  const named = await Promise.all(
    users.slice(0, MOST_NAMED).map(({ name }) => nameOf(name).catch(() => undefined)),
  );
  return {
    from: period.from,
    to: period.to,
    zone: schedule.zone,
    isWeekly: schedule.weekday !== undefined,
    sessions,
    notAccepted,
    seconds,
    agents: users.map(({ name: userId, sessions: own }, index) => ({
      name: named[index] ?? userId,
      sessions: own,
    })),
    features: [...features],
    outcomes: [...outcomes],
    bars: period.starts.map((start, index) => ({
      label: barLabel(start, schedule),
      sessions: bars[index] ?? 0,
    })),
  };
}
