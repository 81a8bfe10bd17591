import type { WebClient } from '@slack/web-api';
import type { ChannelState, TokenState } from '../doctor/slack.ts';
import { slackErrorCode } from './web-client.ts';

/** What Slack says of the bot token. Source: auth.test; the scopes come as the header x-oauth-scopes. */
export async function tokenState(client: WebClient): Promise<TokenState> {
  try {
    const { response_metadata: metadata } = await client.auth.test();
    return { is: 'good', scopes: metadata?.scopes };
  } catch (error) {
    const code = slackErrorCode(error);
    return code === undefined ? { is: 'unknown' } : { is: 'refused', code };
  }
}

/** Whether the app may post in a channel. Source: conversations.info, scopes channels:read and groups:read. */
export async function channelState(client: WebClient, channelId: string): Promise<ChannelState> {
  try {
    const { channel } = await client.conversations.info({ channel: channelId });
    if (channel?.is_archived === true) return 'archived';
    return channel?.is_member === true ? 'member' : 'not-member';
  } catch (error) {
    return slackErrorCode(error) === 'channel_not_found' ? 'not-found' : 'unknown';
  }
}
