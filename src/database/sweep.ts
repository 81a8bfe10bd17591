import type { Sql } from './sql.ts';

/** What is to be swept is expired at two looks at the clock, this far apart in real time. */
const BETWEEN_LOOKS_MS = 10 * 60_000;

/** Two ways to tell the time. */
export interface Clocks {
  /** Milliseconds since 1970, by which records expire: may be set, forward and back. */
  readonly now: () => number;
  /** Milliseconds since some moment: always runs on, whatever the clock is set to. */
  readonly elapsed: () => number;
}

export interface Sweep {
  /** The statement that goes along with the next write; undefined where nothing is to be removed. */
  next(): Sql | undefined;
  /** How many that statement removed. */
  removed(count: number): void;
}

/**
 * Removes what has expired, a few rows at a time. It goes by the lowest time that the clock told in the last ten real
 * minutes or more: what is removed is gone for good, and a clock that is far ahead for a moment makes everything look
 * expired.
 *
 * @param remove the statement that removes so many of those that expired by a time
 * @param limit how many one statement removes
 */
export function createSweep(
  remove: (until: number, limit: number) => Sql,
  { now, elapsed }: Clocks,
  limit = 100,
): Sweep {
  let lowest = now();
  let nextAt = elapsed() + BETWEEN_LOOKS_MS;
  /** Until when to remove; undefined where nothing is left. */
  let until: number | undefined;
  return {
    next() {
      const time = now();
      lowest = Math.min(lowest, time);
      if (elapsed() >= nextAt) {
        until = lowest;
        lowest = time;
        nextAt = elapsed() + BETWEEN_LOOKS_MS;
      }
      // The clock may have been set back since.
      return until === undefined ? undefined : remove(Math.min(until, time), limit);
    },
    removed(count) {
      if (count < limit) until = undefined;
    },
  };
}
