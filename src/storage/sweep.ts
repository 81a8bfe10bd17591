/** What is to be swept is expired at two looks at the clock, this far apart in real time. */
const BETWEEN_LOOKS_MS = 10 * 60_000;
/** How many records one write removes. */
const SWEEP_LIMIT = 100;

/** Two ways to tell the time. */
export interface Clocks {
  /** Milliseconds since 1970, by which records expire: may be set, forward and back. */
  readonly now: () => number;
  /** Milliseconds since some moment: always runs on, whatever the clock is set to. */
  readonly elapsed: () => number;
}

/**
 * Removes expired records, a few with each call. It goes by the lowest time that the clock told in the last ten real
 * minutes or more: what is removed is gone for good, and a clock that is far ahead for a moment makes everything look
 * expired.
 *
 * @param remove removes so many of those that expired by a time, and tells how many there were
 */
export function createSweep(
  remove: (until: number, limit: number) => number | bigint,
  { now, elapsed }: Clocks,
): () => void {
  let lowest = now();
  let nextAt = elapsed() + BETWEEN_LOOKS_MS;
  /** Until when to remove; undefined where nothing is left. */
  let until: number | undefined;
  return () => {
    const time = now();
    lowest = Math.min(lowest, time);
    if (elapsed() >= nextAt) {
      until = lowest;
      lowest = time;
      nextAt = elapsed() + BETWEEN_LOOKS_MS;
    }
    if (until === undefined) return;
    // The clock may have been set back since.
    if (remove(Math.min(until, time), SWEEP_LIMIT) < SWEEP_LIMIT) until = undefined;
  };
}
