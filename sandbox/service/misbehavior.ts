import { z } from 'zod';

const milliseconds = z.int().min(0).max(600_000);

/** How an API call fails: with an error status, with nonsense, or without any answer. */
const failure = z.union([z.int().min(400).max(599), z.enum(['nonsense', 'hang-up'])]);
export type Failure = z.infer<typeof failure>;

/** How the stand-in misbehaves. Anything left out works; `{}` means well-behaved. */
export const misbehaviorBody = z.strictObject({
  /** How long every API call waits before anything else happens. */
  latencyMs: milliseconds.optional(),
  fail: z.strictObject({ with: failure }).optional(),
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
      /** How late they are sent. */
      delayMs: milliseconds.optional(),
    })
    .optional(),
});

export type Misbehavior = z.infer<typeof misbehaviorBody>;

/** What the help and the service's front page say of it. */
export const misbehaviors = [
  ['{"latencyMs":2000}', 'every API call takes this long'],
  ['{"fail":{"with":503}}', 'API calls fail: 400 to 599, "nonsense" or "hang-up"'],
  ['{"agents":{"withoutMetadata":true}}', 'agents’ sessions don’t name their links'],
  ['{"agents":{"findBy":"email"}}', 'agents are only found by "email" or by "external_id"'],
  ['{"webhooks":{"drop":true}}', 'sends no webhook when a session ends'],
  ['{"webhooks":{"delayMs":60000}}', 'sends webhooks this late'],
] as const;

/** How the stand-in currently misbehaves. */
export interface Mood {
  readonly current: () => Misbehavior;
  readonly set: (misbehavior: Misbehavior) => void;
}

export function createMood(start: Misbehavior): Mood {
  let misbehavior = start;
  return { current: () => misbehavior, set: (next) => (misbehavior = next) };
}
