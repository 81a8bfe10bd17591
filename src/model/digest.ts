import { z } from 'zod';
import { SessionOutcome } from './session-outcome.ts';

/** The sessions of a period in numbers: a message of its own, ready to be posted whenever its channel takes it. */
export const Digest = z.object({
  /** Milliseconds since 1970; `to` is not part of it. */
  from: z.number(),
  to: z.number(),
  /** Whose clocks the times are told by. */
  zone: z.string(),
  isWeekly: z.boolean(),
  sessions: z.number(),
  /** In sessions whose length is known. */
  seconds: z.number(),
  /** Most sessions first. `name` is what Slack calls the person. */
  agents: z.array(z.object({ name: z.string(), sessions: z.number() })),
  /** As the service names them, with the sessions that used them; most first. */
  features: z.array(z.object({ name: z.string(), sessions: z.number() })),
  /** How they went, most sessions first; of the others nobody said. */
  outcomes: z.array(z.object({ name: SessionOutcome, sessions: z.number() })).default([]),
  /** Sessions over the time, in order; the label is ours. */
  bars: z.array(z.object({ label: z.string(), sessions: z.number() })),
});
export type Digest = z.infer<typeof Digest>;
