import { z } from 'zod';

/** How this app learns that a session ended: the service tells, it is asked from time to time, or neither can be. */
export type EndNews = 'told' | 'asked' | 'never';

/** How the session of a grant ended. */
export const GrantEnd = z.object({
  sessionId: z.string(),
  /** Milliseconds since 1970. */
  endedAt: z.number(),
  lengthSeconds: z.number().optional(),
});
export type GrantEnd = z.infer<typeof GrantEnd>;

/**
 * What is said of a link for which no end was told or found: `unused` where the service lists no session for it,
 * `unknown` where that cannot be said. An end that comes after all takes its place.
 */
export const Conclusion = z.object({ concluded: z.enum(['unused', 'unknown']), at: z.number() });
export type Conclusion = z.infer<typeof Conclusion>;

/** What became of a grant. One without any is still open. */
export const Fate = z.union([GrantEnd, Conclusion]);
export type Fate = z.infer<typeof Fate>;
