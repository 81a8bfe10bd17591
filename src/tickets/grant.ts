import { z } from 'zod';

/** What a Watch ticket says: who may see which visitor's screen, and where the summary belongs. Ids only. */
export const WatchGrant = z.object({
  workspaceId: z.string(),
  /** The Slack user for whom the button was drawn. */
  userId: z.string(),
  visitorId: z.string(),
  channelId: z.string().optional(),
  /** The `ts` of the message that started it. */
  threadTs: z.string().optional(),
});
export type WatchGrant = z.infer<typeof WatchGrant>;

/** What a session-end ticket says: the grant that a link was made for, with the id of that one link. */
export const SessionEndGrant = WatchGrant.extend({ grantId: z.string() });
export type SessionEndGrant = z.infer<typeof SessionEndGrant>;
