/** Slack's limits of calls per minute, by method: https://docs.slack.dev/apis/web-api/rate-limits. */
export interface RateLimits {
  /** Counts a call. @returns the seconds to wait if it's one too many; otherwise undefined. */
  take(method: string): number | undefined;
}

const MINUTE_MS = 60_000;

/**
 * @param limits calls per minute by method; other methods have no limit.
 * @param now milliseconds since 1970.
 */
export const createRateLimits = (limits: Readonly<Record<string, number>>, now: () => number): RateLimits => {
  const taken = new Map<string, readonly number[]>();
  return {
    take(method) {
      const limit = limits[method];
      if (limit === undefined) return undefined;
      const recent = (taken.get(method) ?? []).filter((at) => now() - at < MINUTE_MS);
      const oldest = recent.at(-limit);
      if (oldest !== undefined) return Math.max(1, Math.ceil((oldest + MINUTE_MS - now()) / 1_000));
      taken.set(method, [...recent, now()]);
      return undefined;
    },
  };
};
