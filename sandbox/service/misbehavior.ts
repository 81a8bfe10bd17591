import { z } from 'zod';

const milliseconds = z.int().min(0).max(600_000);

/** How an API call fails: with an error status, with nonsense, or without any answer. */
const failure = z.union([z.int().min(400).max(599), z.enum(['nonsense', 'hang-up'])]);

/** How the stand-in misbehaves. Anything left out works; `{}` means well-behaved. */
export const misbehaviorBody = z.strictObject({
  /** How long every API call waits before anything else happens. */
  latencyMs: milliseconds.optional(),
  fail: z
    .strictObject({
      with: failure,
      /** Only this many of the next calls. */
      next: z.int().min(1).max(1_000_000).optional(),
      /** Only a share of the calls, from 0 to 1. */
      share: z.number().min(0).max(1).optional(),
      /** The Retry-After header; for 429 it's 1 if left out. */
      retryAfterSeconds: z.int().min(0).max(86_400).optional(),
    })
    .optional(),
  /** How `GET /agents/lookup` answers; the document leaves both open. */
  agents: z
    .strictObject({
      /** Their sessions come without the metadata of their links. */
      withoutMetadata: z.boolean().optional(),
      /** Only this parameter finds anyone. If left out: account users by email, others by external_id. */
      findBy: z.enum(['email', 'external_id']).optional(),
    })
    .optional(),
  webhooks: z
    .strictObject({
      /** They are never sent. */
      drop: z.boolean().optional(),
      /** How often each is sent. */
      copies: z.int().min(1).max(10).optional(),
      /** How late they are sent. */
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

/** How the stand-in currently misbehaves. */
export interface Mood {
  readonly current: () => Misbehavior;
  readonly set: (misbehavior: Misbehavior) => void;
  /** How this call fails; undefined if it doesn't. Counts the call. */
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
