import { z } from 'zod';

/** What tests go by in a body. What else is in it: bodies.test.ts and the page about outgoing webhooks. */
export const ReadBody = z.looseObject({
  type: z.string(),
  data: z.looseObject({
    workspace_id: z.string(),
    link_id: z.string().optional(),
    session_id: z.string().optional(),
    customer: z.object({ id: z.string(), name: z.string().nullable().optional() }).optional(),
  }),
});
export type ReadBody = z.infer<typeof ReadBody>;
