import type { Post } from './post.ts';

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
