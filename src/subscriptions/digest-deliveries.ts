import type { Sql } from '../database/database.ts';
import { wakeChannelOf } from '../outbox/channels.ts';
import { insertDelivery } from '../outbox/delivery.ts';
import type { Post } from '../outbox/post.ts';
import type { Digest } from './digest-numbers.ts';

/**
 * Posts a message without its pictures if Slack rejects it with them: it refuses the whole message if it can't fetch
 * one. Source: docs.slack.dev/reference/block-kit/blocks/image-block, chat.postMessage `invalid_blocks`.
 */
export function createPictureFallback(post: Post): Post {
  return async function postOrWithout(to, message, messageId) {
    const result = await post(to, message, messageId);
    const blocks = message.blocks.filter(({ type }) => type !== 'image');
    const isRefused = result.outcome === 'never' && result.reason.startsWith('invalid_blocks');
    if (!isRefused || blocks.length === message.blocks.length) return result;
    return post(to, { ...message, blocks }, messageId);
  };
}

/** An older digest is no longer news. */
const LATEST_DIGEST_MS = 24 * 60 * 60_000;

/** A subscription whose digest is due. */
export interface DigestPlace {
  readonly workspaceId: string;
  /** The subscription's number. */
  readonly subscription: string;
  readonly channelId: string;
  /** Which digest of the subscription this is, starting at 1. */
  readonly number: number;
}

/** Statements that queue a digest: one for each number, however often they are run. */
export function digestStatements(
  { workspaceId, subscription, channelId, number }: DigestPlace,
  digest: Digest,
  { id, time }: { readonly id: string; readonly time: number },
): readonly Sql[] {
  return [
    insertDelivery({
      id,
      workspaceId,
      key: `digest ${number} of ${subscription}`,
      kind: 'digest',
      messageId: `digest_${subscription}_${digest.to}`,
      since: digest.to,
      channelId,
      subscriptions: [subscription],
      acceptedAt: time,
      notAfter: digest.to + LATEST_DIGEST_MS,
      payload: { digest },
    }),
    wakeChannelOf(id),
  ];
}
