import type { WebClient } from '@slack/web-api';
import type { ModalContext } from './payloads.ts';

/** The address of the message a shortcut was used on; undefined where Slack gives none. Source: chat.getPermalink. */
export async function messageAddress(client: WebClient, context: ModalContext): Promise<string | undefined> {
  const { channelId, messageTs } = context;
  if (channelId === undefined || messageTs === undefined) return undefined;
  // A channel the app is not in has no address for it; the search goes on without.
  const answer = await client.chat
    .getPermalink({ channel: channelId, message_ts: messageTs })
    .catch(() => undefined);
  return answer?.permalink;
}
