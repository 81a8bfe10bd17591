const windowMs = 60_000;

/** Counts a call. @returns the seconds to wait if it's one too many, otherwise undefined */
export type RateLimit = () => number | undefined;

/** At most `perMinute` calls in each minute since the first. */
export function createRateLimit(now: () => Date, perMinute: number): RateLimit {
  let [startedAt, count] = [Number.NEGATIVE_INFINITY, 0];
  return () => {
    const time = now().getTime();
    if (time - startedAt >= windowMs) [startedAt, count] = [time, 0];
    count += 1;
    return count > perMinute ? Math.ceil((startedAt + windowMs - time) / 1000) : undefined;
  };
}
