import { z } from 'zod';

const LoadRequest = z.object({
  method: z.enum(['GET', 'POST']),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  /** `{n}` in it becomes the request's number. */
  body: z.string().nullable(),
});
export type LoadRequest = z.infer<typeof LoadRequest>;

/** What the load generator is to send: `total` requests, taken from `requests` in turn, `atOnce` under way. */
export const LoadJob = z.object({
  origin: z.string(),
  requests: z.array(LoadRequest).min(1),
  total: z.int().positive(),
  atOnce: z.int().positive(),
  /** Any other status fails the job: a refusal is quick, and would look like a good figure. */
  status: z.int(),
  /** The number of the first request. */
  from: z.int().default(0),
});
export type LoadJob = z.input<typeof LoadJob>;

export const LoadResult = z.union([
  z.object({ wallMs: z.number(), p50Ms: z.number(), p99Ms: z.number(), lastMs: z.number() }),
  z.object({ failure: z.string() }),
]);
export type LoadResult = z.infer<typeof LoadResult>;
