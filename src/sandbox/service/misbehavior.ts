import { z } from 'zod';

const milliseconds = z.int().min(0).max(600_000);

/** How an API call fails: a status of the errors, an answer that makes no sense, or no answer at all. */
const failure = z.union([z.int().min(400).max(599), z.enum(['nonsense', 'hang-up'])]);

/** How the stand-in misbehaves. What is left out is in order; `{}` behaves well. */
export const misbehaviorBody = z.strictObject({
  /** Every API call waits so long before anything else happens. */
  latencyMs: milliseconds.optional(),
  fail: z
    .strictObject({
      with: failure,
      /** Only the next so many calls. */
      next: z.int().min(1).max(1_000_000).optional(),
      /** Only a share of the calls, from 0 to 1. */
      share: z.number().min(0).max(1).optional(),
      /** The Retry-After header; with 429 it is 1 where left out. */
      retryAfterSeconds: z.int().min(0).max(86_400).optional(),
    })
    .optional(),
  /** How `GET /agents/lookup` answers; the document leaves both open. */
  agents: z
    .strictObject({
      /** Their sessions come without the metadata of their links. */
      withoutMetadata: z.boolean().optional(),
      /** Only this finds anybody; the other finds nobody. Left out: account users by email, others by external_id. */
      findBy: z.enum(['email', 'external_id']).optional(),
    })
    .optional(),
  webhooks: z
    .strictObject({
      /** They are never sent. */
      drop: z.boolean().optional(),
      /** Each is sent so many times. */
      copies: z.int().min(1).max(10).optional(),
      /** They are sent so late. */
      delayMs: milliseconds.optional(),
    })
    .optional(),
});

export type Misbehavior = z.infer<typeof misbehaviorBody>;

/** How one API call fails. */
export interface Failure {
  readonly with: z.infer<typeof failure>;
  readonly retryAfterSeconds: number | undefined;
}

/** What is wrong with the stand-in just now. */
export interface Mood {
  readonly current: () => Misbehavior;
  readonly set: (misbehavior: Misbehavior) => void;
  /** How the call that is made now fails; undefined where it does not. Counts it. */
  readonly failCall: () => Failure | undefined;
}

/** @param chance numbers from 0 below 1 that decide whether a call is among the share that fails */
export function createMood(start: Misbehavior, chance: () => number): Mood {
  let misbehavior = start;
  return {
    current: () => misbehavior,
    set: (next) => (misbehavior = next),
    failCall() {
      const { fail, ...rest } = misbehavior;
      if (!fail || chance() >= (fail.share ?? 1)) return undefined;
      const { next, with: kind, retryAfterSeconds = kind === 429 ? 1 : undefined } = fail;
      if (next === 1) misbehavior = rest;
      else if (next !== undefined) misbehavior = { ...rest, fail: { ...fail, next: next - 1 } };
      return { with: kind, retryAfterSeconds };
    },
  };
}
