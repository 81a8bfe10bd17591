import type { WebClient } from '@slack/web-api';
import type { ModalContext } from './payloads.ts';

/** The address of the message a shortcut was used on; undefined if Slack gives none. Source: chat.getPermalink. */
export async function messageAddress(client: WebClient, context: ModalContext): Promise<string | undefined> {
  const { channelId, messageTs } = context;
  if (channelId === undefined || messageTs === undefined) return undefined;
  // There's none if the app isn't in the channel; the search goes on without it.
  const answer = await client.chat
    .getPermalink({ channel: channelId, message_ts: messageTs })
    .catch(() => undefined);
  return answer?.permalink;
}
