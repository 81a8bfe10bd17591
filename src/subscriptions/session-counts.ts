import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { sql } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { SessionOutcome } from '../messages/session-words.ts';

/** The most people a digest names. */
const MOST_PEOPLE = 1_000;

/** The sessions of a period in numbers. */
export interface SessionCounts {
  /** Without those that the customer is known not to have accepted; so are all the numbers below. */
  readonly sessions: number;
  readonly notAccepted: number;
  /** Of sessions whose length is known. */
  readonly seconds: number;
  /** By who pressed Watch: most sessions first, then by id. */
  readonly users: readonly { readonly name: string; readonly sessions: number }[];
  /** As the service names them, with the sessions that used them: most sessions first, then by name. */
  readonly features: readonly { readonly name: string; readonly sessions: number }[];
  /** Sessions with an outcome: most sessions first, then by name. */
  readonly outcomes: readonly { readonly name: SessionOutcome; readonly sessions: number }[];
  /** Sessions in each part of the period. */
  readonly bars: readonly number[];
}

/** Covers the session ends that became known from `from` until just before `to`, milliseconds since 1970. */
export interface CountedPeriod {
  readonly from: number;
  readonly to: number;
  /** When its parts begin, in order; the first begins with the period. */
  readonly starts: readonly number[];
}

/** Most sessions first, then by name. */
const byCount = <Name extends string>(counts: ReadonlyMap<Name, number>) =>
  Array.from(counts, ([name, sessions]) => ({ name, sessions })).toSorted(
    (one, other) => other.sessions - one.sessions || (one.name < other.name ? -1 : 1),
  );

const Alike = z.object({
  user_id: z.string(),
  features: z.string(),
  outcome: z.string().nullable(),
  accepted: z.number(),
  sessions: z.number(),
  seconds: z.number(),
});
const Names = z.array(z.string());

function namesIn(json: string): ReadonlySet<string> {
  try {
    return new Set(Names.parse(JSON.parse(json)));
  } catch {
    // A session whose list of tools can't be read still counts.
    return new Set();
  }
}

const isAccepted = ({ accepted }: z.infer<typeof Alike>) => accepted !== 0;
const total = (alike: readonly z.infer<typeof Alike>[]) =>
  alike.reduce((sum, { sessions }) => sum + sessions, 0);

/** Whether it's an outcome that this version knows. */
const known = (outcome: string | null) => SessionOutcome.safeParse(outcome).data;

/**
 * Counts in the database: of each session's end when it became known, however many there are. One part of the period after
 * the other: SQLite answers without ever waiting, and what else the process has to do comes in between.
 */
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
    const [took, others] = [alike.filter(isAccepted), alike.filter((one) => !isAccepted(one))];
    for (const one of took) {
      add(users, one.user_id, one.sessions);
      for (const name of namesIn(one.features)) add(features, name, one.sessions);
      const outcome = known(one.outcome);
      if (outcome !== undefined) add(outcomes, outcome, one.sessions);
      seconds += one.seconds;
    }
    bars.push(total(took));
    notAccepted += total(others);
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

function add<Name>(counts: Map<Name, number>, name: Name, sessions: number): void {
  counts.set(name, (counts.get(name) ?? 0) + sessions);
}
