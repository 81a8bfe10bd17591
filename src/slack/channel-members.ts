import type { WebClient } from '@slack/web-api';
import type { NowCalled } from '../grants/moved-channels.ts';
import { slackErrorCode } from './web-client.ts';

/** Slack's most for one page. Source: conversations.members, `limit`. */
const PAGE = 999;
/** Nobody waits at a press for more: a larger channel counts as one whose members Slack does not show. */
const MOST_PAGES = 5;

/** The app is not in the channel, or is not let see who is. Source: conversations.members, Errors. */
const NOT_SHOWN = new Set([
  'channel_not_found',
  'not_in_channel',
  'missing_scope',
  'method_not_supported_for_channel_type',
  'no_permission',
  'access_denied',
]);

/**
 * Whether a user is a member of a channel, now; undefined where Slack does not show this app its members, or they are
 * too many to read. Rejects where Slack cannot be asked.
 * Source: conversations.members, scopes channels:read and groups:read.
 *
 * @param clientFor the Web API client of a workspace; undefined where the app is not installed there
 */
export function createChannelCheck(
  clientFor: (workspaceId: string) => Promise<WebClient | undefined>,
  nowCalled: NowCalled,
) {
  return async function isInChannel(
    workspaceId: string,
    userId: string,
    channelId: string,
  ): Promise<boolean | undefined> {
    const client = await clientFor(workspaceId);
    if (client === undefined) return undefined;
    // By an id that it had before, nobody would be seen to have left.
    const channel = await nowCalled(workspaceId, channelId);
    let cursor: string | undefined;
    try {
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const answer = await client.conversations.members({
          channel,
          limit: PAGE,
          ...(cursor === undefined ? {} : { cursor }),
        });
        if (answer.members?.includes(userId) === true) return true;
        cursor = answer.response_metadata?.next_cursor;
        if (cursor === undefined || cursor === '') return false;
      }
      return undefined;
    } catch (error) {
      if (NOT_SHOWN.has(slackErrorCode(error) ?? '')) return undefined;
      throw error;
    }
  };
}
