import { z } from 'zod';
import { SessionOutcome } from '../messages/session-words.ts';
import { barLabel } from './periods.ts';
import type { CountedPeriod, SessionCounts } from './session-counts.ts';
import type { Schedule } from './subscription.ts';

/** How many people, and how many tools, a digest names. Of the others it says how many there are. */
export const MOST_NAMED = 10;

/** The numbers of all sessions in a period: a message by itself, ready to post when its channel accepts it. */
export const Digest = z.object({
  /** Milliseconds since 1970; `to` is exclusive. */
  from: z.number(),
  to: z.number(),
  /** The time zone in which times are shown. */
  zone: z.string(),
  isWeekly: z.boolean(),
  /** Without those that the customer is known not to have accepted; so are all the numbers below. */
  sessions: z.number(),
  notAccepted: z.number().default(0),
  /** Of the sessions whose length is known. */
  seconds: z.number(),
  /** Most sessions first. `name` is what Slack calls the person, or their id if they aren't named. */
  agents: z.array(z.object({ name: z.string(), sessions: z.number() })),
  /** By the service's names, with the number of sessions that used them; most first. */
  features: z.array(z.object({ name: z.string(), sessions: z.number() })),
  /** How they went, most sessions first. Nobody said how the others went. */
  outcomes: z.array(z.object({ name: SessionOutcome, sessions: z.number() })).default([]),
  /** Sessions over time, in order, with our labels. */
  bars: z.array(z.object({ label: z.string(), sessions: z.number() })),
});
export type Digest = z.infer<typeof Digest>;

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
