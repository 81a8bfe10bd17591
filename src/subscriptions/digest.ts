import type { Digest } from '../model/digest.ts';
import type { Schedule } from '../model/schedule.ts';
import { barLabel } from './periods.ts';
import type { CountedPeriod, SessionCounts } from './session-counts.ts';

/**
 * The digest of a period.
 *
 * @param nameOf what Slack calls a user; undefined where it does not say
 */
export async function digestOf(
  counts: SessionCounts,
  { schedule, period }: { readonly schedule: Schedule; readonly period: CountedPeriod },
  nameOf: (userId: string) => Promise<string | undefined>,
): Promise<Digest> {
  const { sessions, seconds, users, features, outcomes, bars } = counts;
  const agents = users.map(async ({ name: userId, sessions: own }) => ({
    name: (await nameOf(userId).catch(() => undefined)) ?? userId,
    sessions: own,
  }));
  return {
    from: period.from,
    to: period.to,
    zone: schedule.zone,
    isWeekly: schedule.weekday !== undefined,
    sessions,
    seconds,
    agents: await Promise.all(agents),
    features: [...features],
    outcomes: [...outcomes],
    bars: period.starts.map((start, index) => ({
      label: barLabel(start, schedule),
      sessions: bars[index] ?? 0,
    })),
  };
}
