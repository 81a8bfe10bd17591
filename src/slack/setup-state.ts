import type { WebClient } from '@slack/web-api';
import type { ChannelState } from '../permissions/permissions.ts';
import type { SlackSetup, TokenState } from '../admin/checks.ts';
import { AuthTested, ChannelFound, TeamsPage, slackErrorKind } from '../workspaces/web-client.ts';
import type { SlackConfig } from '../workspaces/workspaces.ts';
import { callFailure } from './call-failure.ts';

/** The scopes in the manifest; a test compares the two. The reason for each is in docs/security.md. */
export const NEEDED_SCOPES = [
  'commands',
  'chat:write',
  'users:read',
  'users:read.email',
  'usergroups:read',
  'channels:read',
  'groups:read',
  'channels:history',
  'groups:history',
  'im:history',
  'im:write',
  'files:write',
] as const;

/** Only for who wants to ask Slackbot. */
export const SLACKBOT_SCOPE = 'mcp:connect';

export const scopesAsked = ({ slackbot }: { readonly slackbot: boolean }): readonly string[] =>
  slackbot ? [...NEEDED_SCOPES, SLACKBOT_SCOPE] : NEEDED_SCOPES;

const WHERE = {
  SLACK_BOT_TOKEN: 'the Bot User OAuth Token',
  SLACK_APP_TOKEN: 'an app-level token with the scope connections:write',
} as const;

export class SlackTokenError extends Error {
  override readonly name = 'SlackTokenError';
  constructor(setting: keyof typeof WHERE, code: string, cause: unknown) {
    super(`Slack refused ${setting} (${code}). Copy ${WHERE[setting]} from the app's page again.`, {
      cause,
    });
  }
}

/** What Slack says about the bot token. Source: auth.test; the scopes come in the header x-oauth-scopes. */
export async function tokenState(client: WebClient): Promise<TokenState> {
  try {
    const tested = AuthTested.parse(await client.auth.test());
    const organizationId = tested.is_enterprise_install === true ? tested.enterprise_id : undefined;
    return { is: 'good', scopes: tested.response_metadata?.scopes, organizationId };
  } catch (error) {
    return notGood(error);
  }
}

/** The workspaces that an organization gives the app. Source: auth.teams.list, no scope. */
export async function grantedTeams(client: WebClient): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const page of client.paginate('auth.teams.list', { limit: 1_000 }))
    all.push(...TeamsPage.parse(page).teams.map(({ id }) => id));
  return all;
}

/** Asks for the address of a connection without connecting. Source: apps.connections.open. */
export async function appTokenState(client: WebClient, token: string): Promise<TokenState> {
  try {
    await client.apps.connections.open({ token });
    return { is: 'good' };
  } catch (error) {
    return notGood(error);
  }
}

function notGood(error: unknown) {
  const { outcome, reason: code } = callFailure(error);
  return outcome === 'later' ? ({ is: 'unknown' } as const) : ({ is: 'refused', code } as const);
}

/** Whether the app can post in a channel. Source: conversations.info, scopes channels:read and groups:read. */
export async function channelState(client: WebClient, channelId: string): Promise<ChannelState> {
  try {
    const { channel } = ChannelFound.parse(await client.conversations.info({ channel: channelId }));
    if (channel?.is_archived === true) return 'archived';
    return channel?.is_member === true ? 'member' : 'not-member';
  } catch (error) {
    return slackErrorKind(error) === 'not-in-channel' ? 'not-found' : 'unknown';
  }
}

export const slackSetup = (client: WebClient, slack: SlackConfig): SlackSetup => ({
  apiUrl: slack.apiUrl,
  neededScopes: NEEDED_SCOPES,
  token: () => tokenState(client),
  installUrl: slack.mode === 'many' ? `${slack.oauth.publicUrl}/slack/install` : undefined,
  appToken: slack.mode === 'socket' ? () => appTokenState(client, slack.appToken) : undefined,
  stateOf: (channelId) => channelState(client, channelId),
});
