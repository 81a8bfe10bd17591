import type { WebClient } from '@slack/web-api';
import type { Post } from '../outbox/post.ts';
import { callFailure } from './call-failure.ts';
import { deliveryMetadata } from './delivery-metadata.ts';

/** @param clientFor the Web API client of a workspace; undefined if the app isn't installed there */
export function createPoster(clientFor: (workspaceId: string) => Promise<WebClient | undefined>): Post {
  return async function post({ workspaceId, to, threadTs, replaces }, { text, blocks }, messageId) {
    const installed = await clientFor(workspaceId).then(
      (client) => ({ client }),
      () => undefined,
    );
    // Our own database failed, so nothing was sent.
    if (installed === undefined) return { outcome: 'later', reason: 'no_answer' };
    try {
      const { client } = installed;
      if (client === undefined) return { outcome: 'never', reason: 'not_installed' };
      const metadata = deliveryMetadata(messageId);
      if (replaces !== undefined) {
        const updated = await client.chat.update({ channel: to, ts: replaces, text, blocks, metadata });
        return { outcome: 'posted', ts: updated.ts, channelId: updated.channel };
      }
      const posted = await client.chat.postMessage({
        channel: to,
        text,
        blocks,
        unfurl_links: false,
        unfurl_media: false,
        metadata,
        ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
      });
      return { outcome: 'posted', ts: posted.ts, channelId: posted.channel };
    } catch (error) {
      return callFailure(error);
    }
  };
}
