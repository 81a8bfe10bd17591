import type { WebClient } from '@slack/web-api';
import type { ChannelState } from '../admin/check-channels.ts';
import type { AppTokenState, TokenState } from '../admin/check-slack.ts';
import type { Examined } from '../admin/examine.ts';
import { slackErrorCode } from '../workspaces/web-client.ts';
import { NEEDED_SCOPES } from './scopes.ts';
import { PASSING } from './token-check.ts';

/** What Slack says about the bot token. Source: auth.test; the scopes come in the header x-oauth-scopes. */
export async function tokenState(client: WebClient): Promise<TokenState> {
  try {
    const { response_metadata: metadata } = await client.auth.test();
    return { is: 'good', scopes: metadata?.scopes };
  } catch (error) {
    return notGood(error);
  }
}

/**
 * What Slack says about the app-level token: asks for the address of a connection without connecting. Source:
 * apps.connections.open.
 */
export async function appTokenState(client: WebClient, appToken: string): Promise<AppTokenState> {
  try {
    await client.apps.connections.open({ token: appToken });
    return { is: 'good' };
  } catch (error) {
    return notGood(error);
  }
}

function notGood(error: unknown) {
  const code = slackErrorCode(error);
  if (code === undefined || PASSING.has(code)) return { is: 'unknown' } as const;
  return { is: 'refused', code } as const;
}

/** Whether the app can post in a channel. Source: conversations.info, scopes channels:read and groups:read. */
export async function channelState(client: WebClient, channelId: string): Promise<ChannelState> {
  try {
    const { channel } = await client.conversations.info({ channel: channelId });
    if (channel?.is_archived === true) return 'archived';
    return channel?.is_member === true ? 'member' : 'not-member';
  } catch (error) {
    return slackErrorCode(error) === 'channel_not_found' ? 'not-found' : 'unknown';
  }
}

/** How a check of the setup asks Slack. @param setUp without a token for the app if Slack comes over HTTP */
export const slackSetup = (
  client: WebClient,
  { apiUrl, appToken }: { readonly apiUrl: string; readonly appToken?: string },
): Examined['slack'] => ({
  apiUrl,
  neededScopes: NEEDED_SCOPES,
  token: () => tokenState(client),
  appToken: appToken === undefined ? undefined : () => appTokenState(client, appToken),
  stateOf: (channelId) => channelState(client, channelId),
});
