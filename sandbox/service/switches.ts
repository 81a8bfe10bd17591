import { z } from 'zod';
import { misbehaviorBody, type Misbehavior } from './misbehavior.ts';

/** Every way to misbehave: the flag for the start of the stand-in, and the JSON to switch it on later. */
export const misbehaviorSwitches = [
  { flag: 'latency', argument: 'MS', json: '{"latencyMs":2000}', meaning: 'every API call takes this long' },
  {
    flag: 'fail',
    argument: 'HOW',
    json: '{"fail":{"with":503}}',
    meaning: 'API calls fail, with a status from 400 to 599, "nonsense" or "hang-up"',
  },
  {
    flag: 'fail-next',
    argument: 'N',
    json: '{"fail":{"with":503,"next":3}}',
    meaning: 'only this many calls fail',
  },
  {
    flag: 'fail-share',
    argument: 'P',
    json: '{"fail":{"with":503,"share":0.2}}',
    meaning: 'only this share of the calls fails, from 0 to 1',
  },
  {
    flag: 'retry-after',
    argument: 'S',
    json: '{"fail":{"with":429,"retryAfterSeconds":5}}',
    meaning: 'failed calls carry Retry-After (429 always does, 1 by default)',
  },
  {
    flag: 'drop-webhooks',
    argument: undefined,
    json: '{"webhooks":{"drop":true}}',
    meaning: 'sends no webhook when a session ends',
  },
  {
    flag: 'without-metadata',
    argument: undefined,
    json: '{"agents":{"withoutMetadata":true}}',
    meaning: 'agents’ sessions don’t name their links',
  },
  {
    flag: 'find-agents-by',
    argument: 'HOW',
    json: '{"agents":{"findBy":"email"}}',
    meaning: 'agents are only found by "email" or by "external_id"',
  },
  {
    flag: 'webhook-copies',
    argument: 'N',
    json: '{"webhooks":{"copies":2}}',
    meaning: 'sends each webhook this many times',
  },
  {
    flag: 'webhook-delay',
    argument: 'MS',
    json: '{"webhooks":{"delayMs":60000}}',
    meaning: 'sends webhooks this late',
  },
] as const;

const number = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .transform(Number)
  .optional();

const flagValues = z.object({
  latency: number,
  fail: z.string().optional(),
  'fail-next': number,
  'fail-share': number,
  'retry-after': number,
  'drop-webhooks': z.boolean().optional(),
  'without-metadata': z.boolean().optional(),
  'find-agents-by': z.string().optional(),
  'webhook-copies': number,
  'webhook-delay': number,
});

/** The flags' values as a body of `POST /stand-in/misbehave`, or the flag that is wrong. */
export function misbehaviorFrom(
  values: Readonly<Record<string, unknown>>,
): { readonly misbehavior: Misbehavior } | { readonly complaint: string } {
  const flags = flagValues.safeParse(values);
  if (!flags.success) return { complaint: `--${flags.error.issues[0]?.path.join('.')} must be a number` };
  const body = misbehaviorBody.safeParse(bodyFrom(flags.data));
  if (body.success) return { misbehavior: body.data };
  return { complaint: `the value of ${body.error.issues[0]?.path.join('.')} is missing or out of range` };
}

function bodyFrom(flags: z.infer<typeof flagValues>): object {
  const { fail } = flags;
  return {
    latencyMs: flags.latency,
    fail: withValues({
      with: fail !== undefined && /^\d+$/.test(fail) ? Number(fail) : fail,
      next: flags['fail-next'],
      share: flags['fail-share'],
      retryAfterSeconds: flags['retry-after'],
    }),
    agents: withValues({
      withoutMetadata: flags['without-metadata'],
      findBy: flags['find-agents-by'],
    }),
    webhooks: withValues({
      drop: flags['drop-webhooks'],
      copies: flags['webhook-copies'],
      delayMs: flags['webhook-delay'],
    }),
  };
}

function withValues(values: object): object | undefined {
  return Object.values(values).some((value) => value !== undefined) ? values : undefined;
}
