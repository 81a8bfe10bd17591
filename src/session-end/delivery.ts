import { z } from 'zod';
import { SessionSchema } from '../cobrowse/schemas.ts';
import type { Session } from '../cobrowse/schemas.ts';
import { Digest } from '../grants/digest.ts';
import { SessionEndGrant } from '../grants/grant.ts';
import { FORMS } from '../grants/subscription.ts';
import { isOwn } from './belonging.ts';

/** A summary on its way: what is stored before the service gets its 200. */
export const Delivery = z.object({
  grant: SessionEndGrant,
  session: SessionSchema,
  /** The channel it goes to; a user's id for a direct message. */
  to: z.string(),
  threadTs: z.string().optional(),
  /** Milliseconds since 1970. */
  acceptedAt: z.number(),
  /** When an admin sent it on its way once more, after it had been given up. */
  retriedAt: z.number().optional(),
  /** Set on the direct message that tells of a summary which its channel did not take, with Slack's code. */
  notPosted: z.object({ to: z.string(), reason: z.string(), neededScope: z.string().optional() }).optional(),
  /** Set on what goes into the thread of a card that became a summary. */
  isDetail: z.literal(true).optional(),
  /** Set on what goes to a subscription beside the summary's own place. */
  subscription: z.object({ id: z.string(), form: z.enum(FORMS) }).optional(),
  /** Set where the service did not tell of the end: it was found by asking. */
  recovered: z.literal(true).optional(),
});
export type Delivery = z.infer<typeof Delivery>;

/** A digest on its way to the channel of its subscription. */
export const DigestDelivery = z.object({
  workspaceId: z.string(),
  digest: Digest,
  subscription: z.object({ id: z.string() }),
  to: z.string(),
  acceptedAt: z.number(),
  retriedAt: z.number().optional(),
});
export type DigestDelivery = z.infer<typeof DigestDelivery>;

/** Whatever the courier brings. */
export const Deliverable = z.union([DigestDelivery, Delivery]);
export type Deliverable = z.infer<typeof Deliverable>;

export const workspaceOf = (delivery: Deliverable): string =>
  'digest' in delivery ? delivery.workspaceId : delivery.grant.workspaceId;

/**
 * How a delivery ended, kept for those who ask. `failed` has Slack's code, or ours, as its reason; `skipped` was not
 * wanted where it would have gone; `dropped` was taken off by an admin, `droppedBy`.
 */
export const Settlement = z.object({
  outcome: z.enum(['posted', 'failed', 'skipped', 'dropped']),
  reason: z.string().optional(),
  /** The scope that Slack missed. */
  neededScope: z.string().optional(),
  droppedBy: z.string().optional(),
  to: z.string(),
  /** The `ts` of the posted message. */
  ts: z.string().optional(),
  settledAt: z.number(),
});
export type Settlement = z.infer<typeof Settlement>;

/** The delivery of an ended session, to where its Watch was pressed. @param summaryChannel for what has no place of its own */
export function summaryOf(
  grant: SessionEndGrant,
  session: Session,
  {
    summaryChannel,
    acceptedAt,
  }: { readonly summaryChannel: string | undefined; readonly acceptedAt: number },
): Delivery {
  const { channelId, threadTs, userId } = grant;
  return {
    grant,
    session,
    to: channelId ?? summaryChannel ?? userId,
    ...(threadTs === undefined || channelId === undefined ? {} : { threadTs }),
    acceptedAt,
  };
}

/**
 * One session, one delivery, however often the service tells of it. With a ticket any session can be told of: what does
 * not say that it is the grant's own is one for this grant alone, and takes no other session's place.
 */
export function deliveryId({ grant, session }: Pick<Delivery, 'grant' | 'session'>): string {
  // Escaped, so that no session's id is that of a digest, or of what follows another session.
  const id = `${grant.workspaceId}:${encodeURIComponent(session.id)}`;
  return isOwn(grant, session) ? id : `${id}:${grant.grantId}`;
}

/** Whose a delivery is, by its id alone. */
export function workspaceIn(id: string): string {
  return id.replace(/:.*/s, '');
}

/** What goes into the thread of a summary. */
export function detailId(id: string): string {
  return `${id}:detail`;
}

/** What goes to a subscription. */
export function subscribedId(id: string, subscriptionId: string): string {
  return `${id}:sub:${subscriptionId}`;
}

/** A subscription's digest, by its number: the first has 1. */
export function digestId(workspaceId: string, subscriptionId: string, number: number): string {
  return `${workspaceId}:digest:${subscriptionId}:${number}`;
}

/** The direct message about a delivery that failed. */
export function noticeId(id: string): string {
  return `${id}:notice`;
}
