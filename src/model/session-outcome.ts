import { z } from 'zod';

/** How a session went, as people say afterwards. */
export const SessionOutcome = z.enum(['solved', 'follow-up', 'other']);
export type SessionOutcome = z.infer<typeof SessionOutcome>;

/** An outcome with who set it, and when. */
export interface SetOutcome {
  readonly outcome: SessionOutcome;
  /** Slack's user id. */
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}
