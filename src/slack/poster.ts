import { WebAPIHTTPError, WebAPIRateLimitedError } from '@slack/web-api';
import type { WebClient } from '@slack/web-api';
import type { Post, PostOutcome } from '../session-end/post.ts';
import { slackErrorCode } from './web-client.ts';

/** Codes that pass by themselves. Every other code of Slack's is a no that stays. Source: chat.postMessage, Errors. */
const PASSING = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'team_added_to_org',
  'request_timeout',
  'ratelimited',
  'rate_limited',
  'rollup_error',
  'accesslimited',
  'message_limit_exceeded',
]);

const METADATA_TYPE = 'cobrowse_session_ended';

function outcomeOf(error: unknown): PostOutcome {
  if (error instanceof WebAPIRateLimitedError) {
    return { outcome: 'later', reason: 'ratelimited', afterMs: Math.max(1, error.retryAfter) * 1_000 };
  }
  const code = slackErrorCode(error);
  if (code !== undefined) return { outcome: PASSING.has(code) ? 'later' : 'never', reason: code };
  const reason = error instanceof WebAPIHTTPError ? `http_${error.statusCode}` : 'no_answer';
  return { outcome: 'later', reason };
}

/** @param clientFor the Web API client of a workspace; undefined where the app is not installed there */
export function createPoster(clientFor: (workspaceId: string) => Promise<WebClient | undefined>): Post {
  return async function post({ workspaceId, to, threadTs, replaces }, { text, blocks }, deliveryId) {
    try {
      const client = await clientFor(workspaceId);
      if (client === undefined) return { outcome: 'never', reason: 'not_installed' };
      const metadata = { event_type: METADATA_TYPE, event_payload: { delivery: deliveryId } };
      if (replaces !== undefined) {
        const updated = await client.chat.update({ channel: to, ts: replaces, text, blocks, metadata });
        return { outcome: 'posted', ts: updated.ts };
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
      return { outcome: 'posted', ts: posted.ts };
    } catch (error) {
      return outcomeOf(error);
    }
  };
}
