import type { Sql } from './sql.ts';

/** A row has expired only if two looks at the clock, this far apart in real time, agree. */
const BETWEEN_LOOKS_MS = 10 * 60_000;

export interface Clocks {
  /** Milliseconds since 1970, the clock rows expire by. May be set forward or back. */
  readonly now: () => number;
  /** Milliseconds since some moment. Keeps running whatever the clock is set to. */
  readonly elapsed: () => number;
}

export interface Sweep {
  /** The next statement to run; undefined if there's nothing to remove. */
  next(): Sql | undefined;
  /** How many rows that statement removed. */
  removed(count: number): void;
}

/**
 * Removes expired rows, a few at a time. It goes by the lowest time the clock showed in at least the last ten real
 * minutes: removed rows are gone for good, and a clock that is far ahead for a moment makes everything look expired.
 *
 * @param remove the statement that removes some of the rows that expired by a time
 * @param limit how many one statement removes
 */
export function createSweep(
  remove: (until: number, limit: number) => Sql,
  { now, elapsed }: Clocks,
  limit = 100,
): Sweep {
  let lowest = now();
  let nextAt = elapsed() + BETWEEN_LOOKS_MS;
  /** Remove what expired by then; undefined if nothing is left. */
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
