import { z } from 'zod';
import { SessionOutcome } from './session-outcome.ts';

/** How many people, and how many tools, a digest names. Of the others it says how many there are. */
export const MOST_NAMED = 10;

/** The numbers of all sessions in a period: a message by itself, ready to post when its channel accepts it. */
export const Digest = z.object({
  /** Milliseconds since 1970; `to` is exclusive. */
  from: z.number(),
  to: z.number(),
  /** The time zone in which times are shown. */
  zone: z.string(),
  isWeekly: z.boolean(),
  /** Without those that the customer is known not to have accepted; so are all the numbers below. */
  sessions: z.number(),
  notAccepted: z.number().default(0),
  /** Of the sessions whose length is known. */
  seconds: z.number(),
  /** Most sessions first. `name` is what Slack calls the person, or their id if they aren't named. */
  agents: z.array(z.object({ name: z.string(), sessions: z.number() })),
  /** By the service's names, with the number of sessions that used them; most first. */
  features: z.array(z.object({ name: z.string(), sessions: z.number() })),
  /** How they went, most sessions first. Nobody said how the others went. */
  outcomes: z.array(z.object({ name: SessionOutcome, sessions: z.number() })).default([]),
  /** Sessions over time, in order, with our labels. */
  bars: z.array(z.object({ label: z.string(), sessions: z.number() })),
});
export type Digest = z.infer<typeof Digest>;
