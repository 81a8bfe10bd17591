import type { Clocks } from '../database/sweep.ts';

/** What a clock that is set right, or a machine that slept for a moment, may be ahead by at once. */
const LEAP_MS = 60_000;
const BELIEVED_AFTER_MS = 10 * 60_000;

/**
 * Tells the time, but believes a leap ahead only after ten real minutes: what goes out early by a clock that is wrong for a
 * while cannot be taken back. A clock that is put back is believed at once.
 */
export function createSteadyClock({ now, elapsed }: Clocks): () => number {
  let ahead = now() - elapsed();
  let leapAt: number | undefined;
  return () => {
    const real = elapsed();
    const seen = now() - real;
    if (seen > ahead + LEAP_MS) {
      leapAt ??= real;
      if (real - leapAt < BELIEVED_AFTER_MS) return real + ahead;
    }
    leapAt = undefined;
    ahead = seen;
    return real + ahead;
  };
}
