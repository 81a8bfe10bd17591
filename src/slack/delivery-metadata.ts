import { z } from 'zod';
import type { Installation } from '../workspaces/workspaces.ts';

const EVENT_TYPE = 'cobrowse_delivery';

/** The metadata by which a summary can be found: only an id, since members and other apps can read it. */
export function deliveryMetadata(messageId: string) {
  return { event_type: EVENT_TYPE, event_payload: { delivery: messageId } };
}

const Carrier = z.object({
  ts: z.string(),
  user: z.string().optional(),
  bot_id: z.string().optional(),
  metadata: z.object({
    event_type: z.literal(EVENT_TYPE),
    event_payload: z.object({ delivery: z.string() }),
  }),
});

/**
 * The `ts` of a message from Slack's history, if the app itself posted it for this delivery. Any app in the workspace
 * can read our metadata, and post the same.
 */
export function postedFor(
  message: unknown,
  messageId: string,
  { botId, botUserId }: Pick<Installation, 'botId' | 'botUserId'>,
): string | undefined {
  const read = Carrier.safeParse(message);
  if (!read.success || read.data.metadata.event_payload.delivery !== messageId) return undefined;
  const { ts, user, bot_id: poster } = read.data;
  const isOurs = (poster !== undefined && poster === botId) || (user !== undefined && user === botUserId);
  return isOurs ? ts : undefined;
}
