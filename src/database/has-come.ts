import { sql } from './sql.ts';
import type { Sql } from './sql.ts';

/** How far the clocks of two processes may differ: what another one wrote may be a little further ahead. */
const CLOCKS_APART_MS = 60_000;

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
