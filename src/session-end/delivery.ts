import { z } from 'zod';
import { SessionSchema } from '../cobrowse/schemas.ts';
import { SessionEndGrant } from '../grants/grant.ts';

/** A summary on its way: what is stored before the service gets its 200. */
export const Delivery = z.object({
  grant: SessionEndGrant,
  session: SessionSchema,
  /** The channel it goes to; a user's id for a direct message. */
  to: z.string(),
  threadTs: z.string().optional(),
  /** Milliseconds since 1970. */
  acceptedAt: z.number(),
  /** Set on the direct message that tells of a summary which its channel did not take, with Slack's code. */
  notPosted: z.object({ to: z.string(), reason: z.string() }).optional(),
  /** Set on what goes into the thread of a card that became a summary. */
  isDetail: z.literal(true).optional(),
});
export type Delivery = z.infer<typeof Delivery>;

/** How a delivery ended, kept for those who ask. `failed` has Slack's code, or ours, as its reason. */
export const Settlement = z.object({
  outcome: z.enum(['posted', 'failed']),
  reason: z.string().optional(),
  to: z.string(),
  /** The `ts` of the posted message. */
  ts: z.string().optional(),
  settledAt: z.number(),
});
export type Settlement = z.infer<typeof Settlement>;

/** One session, one delivery, however often the service tells of it. */
export function deliveryId({ grant, session }: Pick<Delivery, 'grant' | 'session'>): string {
  return `${grant.workspaceId}:${session.id}`;
}

/** What goes into the thread of a summary. */
export function detailId(id: string): string {
  return `${id}:detail`;
}

/** The direct message about a delivery that failed. */
export function noticeId(id: string): string {
  return `${id}:notice`;
}
