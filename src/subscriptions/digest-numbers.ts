import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { jsonOf, rowOf, sql, type Database } from '../database/database.ts';
import { SessionOutcome } from '../messages/session-words.ts';
import { barLabel, type Period } from './periods.ts';
import type { Schedule } from './subscription.ts';

/** How many people, and how many tools, a digest names. Of the others it says how many there are. */
export const MOST_NAMED = 10;
const MOST_PEOPLE = 1_000;

/** The numbers of all sessions in a period: a message by itself, ready to post when its channel accepts it. */
export const Digest = z.object({
  /** Milliseconds since 1970; `to` is exclusive. */
  from: z.number(),
  to: z.number(),
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
  bars: z.array(z.object({ label: z.string(), sessions: z.number() })),
});
export type Digest = z.infer<typeof Digest>;

/** Covers the session ends that became known in it. */
export interface CountedPeriod extends Period {
  /** When its parts begin, in order; the first begins with the period. */
  readonly starts: readonly number[];
}

/** What a digest says of a period: people by their ids, sessions in each part of the period. */
export interface SessionCounts extends Pick<
  Digest,
  'sessions' | 'notAccepted' | 'seconds' | 'features' | 'outcomes'
> {
  /** By who pressed Watch: most sessions first, then by id. */
  readonly users: Digest['agents'];
  readonly bars: readonly number[];
}

/** Sessions that a digest needn't tell apart. */
const Alike = rowOf({
  userId: z.string(),
  features: jsonOf(z.array(z.string())),
  /** One that this version doesn't know isn't named. */
  outcome: SessionOutcome.optional().catch(undefined),
  accepted: z.number(),
  sessions: z.number(),
  seconds: z.number(),
});

const total = (all: readonly { readonly sessions: number }[]) =>
  all.reduce((sum, { sessions }) => sum + sessions, 0);

function add<Name>(counts: Map<Name, number>, name: Name, sessions: number): void {
  counts.set(name, (counts.get(name) ?? 0) + sessions);
}

const byCount = <Name extends string>(counts: ReadonlyMap<Name, number>) =>
  Array.from(counts, ([name, sessions]) => ({ name, sessions })).toSorted(
    (one, other) => other.sessions - one.sessions || (one.name < other.name ? -1 : 1),
  );

/** Counts in the database, one part of the period after the other, because SQLite blocks the process while it answers. */
export async function countSessions(
  database: Pick<Database, 'read'>,
  workspaceId: string,
  { from, to, starts }: CountedPeriod,
): Promise<SessionCounts> {
  const [users, features] = [new Map<string, number>(), new Map<string, number>()];
  const outcomes = new Map<SessionOutcome, number>();
  const bars: number[] = [];
  let [seconds, notAccepted] = [0, 0];
  for (const [index, start] of [from, ...starts.slice(1)].entries()) {
    const alike = await database.read(
      sql`SELECT user_id, features, outcome, COALESCE(accepted, 1) AS accepted, count(*) AS sessions,
          CAST(COALESCE(sum(seconds), 0) AS BIGINT) AS seconds
        FROM session_ends
        WHERE workspace_id = ${workspaceId} AND received_at >= ${start} AND received_at < ${starts[index + 1] ?? to}
        GROUP BY user_id, features, outcome, COALESCE(accepted, 1)`,
      Alike,
    );
    const took = alike.filter(({ accepted }) => accepted !== 0);
    for (const one of took) {
      add(users, one.userId, one.sessions);
      for (const name of new Set(one.features)) add(features, name, one.sessions);
      if (one.outcome !== undefined) add(outcomes, one.outcome, one.sessions);
      seconds += one.seconds;
    }
    bars.push(total(took));
    notAccepted += total(alike) - total(took);
    await setImmediate();
  }
  return {
    sessions: bars.reduce((sum, sessions) => sum + sessions, 0),
    notAccepted,
    seconds,
    users: byCount(users).slice(0, MOST_PEOPLE),
    features: byCount(features),
    outcomes: byCount(outcomes),
    bars,
  };
}

/** @param nameOf what Slack calls a user; undefined if it doesn't say. Asked only about those who are named */
export async function digestOf(
  { users, bars, ...numbers }: SessionCounts,
  { schedule, period }: { readonly schedule: Schedule; readonly period: CountedPeriod },
  nameOf: (userId: string) => Promise<string | undefined>,
): Promise<Digest> {
  const names = await Promise.all(
    users.slice(0, MOST_NAMED).map(({ name: userId }) => nameOf(userId).catch(() => undefined)),
  );
  return {
    from: period.from,
    to: period.to,
    zone: schedule.zone,
    isWeekly: schedule.weekday !== undefined,
    ...numbers,
    agents: users.map(({ name: userId, sessions }, index) => ({ name: names[index] ?? userId, sessions })),
    bars: period.starts.map((start, index) => ({
      label: barLabel(start, schedule, period),
      sessions: bars[index] ?? 0,
    })),
  };
}
