import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { list, sql } from '../database/sql.ts';
import { SESSION_OUTCOMES, SessionOutcome } from '../model/session-outcome.ts';

/** A digest names no more people than this. */
const MOST_PEOPLE = 1_000;
/** Sessions use the same few tools together again and again. */
const MOST_COMBINATIONS = 5_000;

/** The sessions of a period in numbers. */
export interface SessionCounts {
  readonly sessions: number;
  /** In sessions whose length is known. */
  readonly seconds: number;
  /** By who pressed Watch; most first, those alike by id. */
  readonly users: readonly { readonly name: string; readonly sessions: number }[];
  /** As the service names them, with the sessions that used them; most first, those alike by name. */
  readonly features: readonly { readonly name: string; readonly sessions: number }[];
  /** Sessions of which somebody said how they went; most first, those alike by name. */
  readonly outcomes: readonly { readonly name: SessionOutcome; readonly sessions: number }[];
  /** Sessions in each part of the period. */
  readonly bars: readonly number[];
}

/** A part of the time whose ends became known from `from` on and before `to`, milliseconds since 1970. */
export interface CountedPeriod {
  readonly from: number;
  readonly to: number;
  /** When its parts begin, in order; the first with the period. */
  readonly starts: readonly number[];
}

/** Most first, those alike by name. */
const byCount = (counts: ReadonlyMap<string, number>) =>
  Array.from(counts, ([name, sessions]) => ({ name, sessions })).toSorted(
    (one, other) => other.sessions - one.sessions || (one.name < other.name ? -1 : 1),
  );

const Total = z.object({ sessions: z.number(), seconds: z.number() });
const Counted = z.object({ name: z.string(), sessions: z.coerce.number() });
const Bar = z.object({ bar: z.number(), sessions: z.number() });
const CountedOutcome = z.object({ name: SessionOutcome, sessions: z.coerce.number() });
const Names = z.array(z.string());

function namesIn(json: string): ReadonlySet<string> {
  try {
    return new Set(Names.parse(JSON.parse(json)));
  } catch {
    // A session counts, too, whose list of tools cannot be read.
    return new Set();
  }
}

/** Counts in the database: of each session's end when it became known, however many there are. */
export async function countSessions(
  database: Pick<Database, 'read'>,
  workspaceId: string,
  { from, to, starts }: CountedPeriod,
): Promise<SessionCounts> {
  const isWanted = sql`workspace_id = ${workspaceId} AND received_at >= ${from} AND received_at < ${to}`;
  const bar = starts
    .slice(1)
    .reduceRight(
      (later, start, index) => sql`CASE WHEN received_at < ${start} THEN ${whole(index)} ELSE ${later} END`,
      whole(starts.length - 1),
    );
  const [totals, users, combinations, outcomes, bars] = await Promise.all([
    database.read(
      sql`SELECT count(*) AS sessions, CAST(COALESCE(sum(seconds), 0) AS BIGINT) AS seconds FROM session_ends WHERE ${isWanted}`,
      Total,
    ),
    database.read(
      sql`SELECT user_id AS name, count(*) AS sessions FROM session_ends WHERE ${isWanted}
        GROUP BY user_id ORDER BY sessions DESC, name LIMIT ${MOST_PEOPLE}`,
      Counted,
    ),
    database.read(
      sql`SELECT features AS name, count(*) AS sessions FROM session_ends WHERE ${isWanted}
        GROUP BY features ORDER BY sessions DESC LIMIT ${MOST_COMBINATIONS}`,
      Counted,
    ),
    database.read(
      sql`SELECT outcome AS name, count(*) AS sessions FROM session_ends
        WHERE ${isWanted} AND outcome IN (${list(SESSION_OUTCOMES.map((one) => sql`${one}`))})
        GROUP BY outcome ORDER BY sessions DESC, name`,
      CountedOutcome,
    ),
    database.read(
      sql`SELECT bar, count(*) AS sessions FROM (SELECT ${bar} AS bar FROM session_ends WHERE ${isWanted}) AS counted
        GROUP BY bar`,
      Bar,
    ),
  ]);
  const features = new Map<string, number>();
  for (const { name: json, sessions } of combinations)
    for (const name of namesIn(json)) features.set(name, (features.get(name) ?? 0) + sessions);
  const inBar = new Map(bars.map((one) => [one.bar, one.sessions]));
  return {
    sessions: totals[0]?.sessions ?? 0,
    seconds: totals[0]?.seconds ?? 0,
    users,
    features: byCount(features),
    outcomes,
    bars: starts.map((_, index) => inBar.get(index) ?? 0),
  };
}

const whole = (value: number) => sql`CAST(${value} AS BIGINT)`;
