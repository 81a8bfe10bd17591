import { setImmediate } from 'node:timers/promises';
import { Cron } from 'croner';
import { z } from 'zod';
import { jsonOf, rowOf, sql, type Database } from '../database/database.ts';
import { SessionOutcome } from '../messages/session-words.ts';
import type { Schedule } from './subscription.ts';

/** A time that the clocks skip becomes the first moment after it; of a time that comes twice, the first counts. */
const timesOf = ({ weekday, onWeekdays, hour, minute, zone }: Schedule) =>
  new Cron(`0 ${minute} ${hour} * * ${weekday ?? (onWeekdays ? '1-5' : '*')}`, {
    timezone: zone,
    paused: true,
  });

/** A schedule always has a next time, and one before. */
const timeOf = (date: Date | null | undefined): number => date?.getTime() ?? NaN;

/** The next time after a moment. Milliseconds since 1970. */
export const nextDue = (schedule: Schedule, after: number): number =>
  timeOf(timesOf(schedule).nextRun(new Date(after)));

/** When it was last due, at this moment or before. The search is for times before a whole second. */
const latestDue = (schedule: Schedule, now: number): number =>
  timeOf(timesOf(schedule).previousRuns(1, new Date((Math.floor(now / 1_000) + 1) * 1_000))[0]);

/** From one due time to the next; `to` isn't part of it. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

export function latestPeriod(schedule: Schedule, now: number): Period {
  const to = latestDue(schedule, now);
  return { from: latestDue(schedule, to - 1), to };
}

const DAY = { weekday: 'short' } as const;
const TIME = { hourCycle: 'h23', hour: '2-digit', minute: '2-digit' } as const;

/** The bars of a period, by their day or time: of several days each, of a day eight parts as long as each other. */
export function barsOf({ hour, minute, zone }: Schedule, { from, to }: Period) {
  // Not a day, which may have 25 hours.
  const isLong = to - from > 36 * 60 * 60_000;
  const starts: number[] = [];
  if (isLong) {
    const daily = { hour, minute, zone };
    for (let at = latestDue(daily, to - 1); at >= from; at = latestDue(daily, at - 1)) starts.unshift(at);
  } else {
    for (let part = 0; part < 8; part += 1) starts.push(from + ((to - from) / 8) * part);
  }
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, ...(isLong ? DAY : TIME) });
  return starts.map((start) => ({ start, label: format.format(start) }));
}

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

/**
 * Counts the session ends that became known in a period: `users` by who pressed Watch, most sessions first. One part of the
 * period after the other, because SQLite blocks the process while it answers. @param starts when its parts begin, in order
 */
export async function countSessions(
  database: Pick<Database, 'read'>,
  workspaceId: string,
  { from, to, starts }: Period & { readonly starts: readonly number[] },
) {
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
