import { z } from 'zod';
import type { Post } from '../outbox/transport.ts';
import { Posted } from '../workspaces/web-client.ts';
import type { Installation } from '../workspaces/workspaces.ts';
import type { ClientFor } from './cached.ts';
import { callFailure } from './call-failure.ts';

const EVENT_TYPE = 'cobrowse_delivery';

/** The metadata by which a summary can be found: only ids, since members and other apps can read it. */
export function deliveryMetadata(messageId: string, cardId?: string) {
  const ids: Record<string, string> = { delivery: messageId };
  if (cardId !== undefined) ids['card'] = cardId;
  return { event_type: EVENT_TYPE, event_payload: ids };
}

const Carrier = z.object({
  ts: z.string(),
  user: z.string().nullish(),
  bot_id: z.string().nullish(),
  metadata: z.object({
    event_type: z.literal(EVENT_TYPE),
    event_payload: z.object({ delivery: z.string(), card: z.string().optional() }),
  }),
});

/**
 * A message from Slack's history, if the app itself posted it for this delivery, or it took this one's place since. Any app in
 * the workspace can read our metadata, and post the same.
 */
export function postedFor(
  message: unknown,
  messageId: string,
  { botId, botUserId }: Pick<Installation, 'botId' | 'botUserId'>,
): { readonly ts: string; readonly hasBecome: boolean } | undefined {
  const read = Carrier.safeParse(message);
  if (!read.success) return undefined;
  const { ts, user, bot_id: poster, metadata } = read.data;
  const { delivery, card } = metadata.event_payload;
  if (delivery !== messageId && card !== messageId) return undefined;
  const isOurs = (botId !== undefined && poster === botId) || (botUserId !== undefined && user === botUserId);
  return isOurs ? { ts, hasBecome: delivery !== messageId } : undefined;
}

export function createPoster(clientFor: ClientFor): Post {
  return async function post({ workspaceId, to, threadTs, replaces, cardId }, { text, blocks }, messageId) {
    const installed = await clientFor(workspaceId).then(
      (client) => ({ client }),
      () => undefined,
    );
    // Our own database failed, so nothing was sent.
    if (installed === undefined) return { outcome: 'later', reason: 'no_answer' };
    const { client } = installed;
    if (client === undefined) return { outcome: 'never', reason: 'not_installed' };
    try {
      const metadata = deliveryMetadata(messageId, cardId);
      if (replaces !== undefined) {
        const { ts, channel } = Posted.parse(
          await client.chat.update({ channel: to, ts: replaces, text, blocks, metadata }),
        );
        return { outcome: 'posted', ts, channelId: channel };
      }
      const answer = await client.chat.postMessage({
        channel: to,
        text,
        blocks,
        unfurl_links: false,
        unfurl_media: false,
        metadata,
        thread_ts: threadTs,
      });
      const { ts, channel } = Posted.parse(answer);
      return { outcome: 'posted', ts, channelId: channel };
    } catch (error) {
      return callFailure(error);
    }
  };
}
