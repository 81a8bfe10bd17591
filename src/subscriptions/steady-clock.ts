interface Clocks {
  /** Milliseconds since 1970. May be set forward or back. */
  readonly now: () => number;
  /** Milliseconds since some moment. Keeps running whatever the clock is set to. */
  readonly elapsed: () => number;
}

/** How far a corrected clock, or a machine that slept briefly, may jump ahead. */
const LEAP_MS = 60_000;
const BELIEVED_AFTER_MS = 10 * 60_000;

/**
 * Tells the time, but believes a jump ahead only after ten real minutes: what a wrong clock sends early can't be taken back.
 * A clock that is set back is believed immediately.
 */
export function createSteadyClock({ now, elapsed }: Clocks): () => number {
  let ahead = now() - elapsed();
  let leapAt: number | undefined;
  return () => {
    const real = elapsed();
    const seen = now() - real;
    if (seen > ahead + LEAP_MS) {
      leapAt ??= real;
      // The elapsed time has fractions of a millisecond, and the tables take none.
      if (real - leapAt < BELIEVED_AFTER_MS) return Math.round(real + ahead);
    }
    leapAt = undefined;
    ahead = seen;
    return Math.round(real + ahead);
  };
}
