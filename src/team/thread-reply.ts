import { randomUUID } from 'node:crypto';
import type { Message } from '../messages/message.ts';
import type { Destination, FindPosts, Post, PostOutcome } from '../outbox/transport.ts';

/**
 * Posts a reply that nothing stores. If Slack's answer is lost, the reply is looked for: `unclear` stays only if it isn't there,
 * or Slack doesn't say that either. Never rejects.
 *
 * @param now milliseconds since 1970
 */
export function createPostReply(post: Post, find: FindPosts, now: () => number) {
  return async function postReply(place: Destination, message: Message): Promise<PostOutcome> {
    const [id, since] = [`reply:${randomUUID()}`, now()];
    const posted = await post(place, message, id);
    if (posted.outcome !== 'later' || posted.unclear !== true) return posted;
    const seen = await find(place, id, since);
    const [ts] = 'found' in seen ? seen.found : [];
    return ts === undefined ? posted : { outcome: 'posted', ts };
  };
}
