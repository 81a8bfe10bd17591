import type { Digest } from '../grants/digest.ts';
import type { Schedule } from '../grants/schedule.ts';
import { barLabel, barsOf } from './periods.ts';
import type { Period } from './periods.ts';
import type { SessionFact } from './session-facts.ts';

/** How often each occurs, the most frequent first, those alike by name. */
function counted(names: readonly string[]): readonly { readonly name: string; readonly sessions: number }[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Array.from(counts, ([name, sessions]) => ({ name, sessions })).toSorted(
    (one, other) => other.sessions - one.sessions || one.name.localeCompare(other.name),
  );
}

/**
 * The digest of a period.
 *
 * @param nameOf what Slack calls a user; undefined where it does not say
 */
export async function digestOf(
  facts: readonly SessionFact[],
  { schedule, period }: { readonly schedule: Schedule; readonly period: Period },
  nameOf: (userId: string) => Promise<string | undefined>,
): Promise<Digest> {
  const { from, to } = period;
  const starts = barsOf(schedule, period);
  const bars = starts.map((start, index) => {
    const end = starts[index + 1] ?? to;
    return {
      label: barLabel(start, schedule),
      sessions: facts.filter(({ learnedAt }) => learnedAt >= start && learnedAt < end).length,
    };
  });
  const byUser = counted(facts.map(({ userId }) => userId));
  const agents = byUser.map(async ({ name: userId, sessions }) => ({
    name: (await nameOf(userId).catch(() => undefined)) ?? userId,
    sessions,
  }));
  return {
    from,
    to,
    zone: schedule.zone,
    isWeekly: schedule.weekday !== undefined,
    sessions: facts.length,
    seconds: facts.reduce((sum, { seconds = 0 }) => sum + seconds, 0),
    agents: await Promise.all(agents),
    features: [...counted(facts.flatMap(({ features }) => [...new Set(features)]))],
    bars,
  };
}
