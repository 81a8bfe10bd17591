import { sql } from './database.ts';
import type { Database, Sql } from './database.ts';

/** How far the clocks of two processes may differ: what another one wrote may be a little further ahead. */
export const CLOCKS_APART_MS = 60_000;

/**
 * Whether a time of day has come. One that is further ahead than anybody sets it was reckoned by a clock that ran ahead,
 * or before the clock was put back. It has come, too, so that nothing waits for it.
 *
 * @param longestMs how far ahead a clock that is right sets it
 */
export const hasCome = (time: number, now: number, longestMs: number): boolean =>
  time <= now || time > now + longestMs + CLOCKS_APART_MS;

/** The same as a condition on a column. */
export const hasComeIn = (column: Sql, now: number, longestMs: number): Sql =>
  sql`(${column} <= ${now} OR ${column} > ${now + longestMs + CLOCKS_APART_MS})`;

export type SteadyTime = Pick<Database, 'steadyTime'>;

/** The steady time so many milliseconds from now; before now where they're negative. */
export const steadyTimeIn = ({ steadyTime }: SteadyTime, ms: number): Sql =>
  sql`${steadyTime()} + CAST(${ms} AS BIGINT)`;

/** Further than a clock is set back by mistake. */
const KEPT_MS = 24 * 60 * 60 * 1_000;

/** For the `expires_at` of what must not be used again; `good_until` has the time when it has expired by the clock. */
export const keptUntil = (database: SteadyTime): Sql => steadyTimeIn(database, KEPT_MS);

/**
 * Whether such a row can be removed. What it keeps from being used goes by the clock, so it's over by the clock; and 24
 * hours have passed by the time that nobody sets, since after a clock is set back the same press or ticket may be good
 * again. One from before the machine was restarted, where that time begins anew, goes by the clock alone: it would be
 * kept for as long as the machine ran before.
 *
 * @param until the lowest time that the clock has shown for minutes
 */
export const isOver = (steady: SteadyTime, until: number): Sql =>
  sql`good_until <= ${until}
    AND (expires_at <= ${steady.steadyTime()} OR expires_at > ${steadyTimeIn(steady, 2 * KEPT_MS)})`;
