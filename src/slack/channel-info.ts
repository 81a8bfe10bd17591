import type { ConversationsInfoResponse, WebClient } from '@slack/web-api';
import { createCallMethod, createRecentAnswers } from './recent-answers.ts';

type Channel = NonNullable<ConversationsInfoResponse['channel']>;

/** What Slack says about a channel. */
export interface ChannelInfo {
  /** Empty if Slack says nothing. Rejects if Slack can't be asked, or doesn't show the channel. */
  readonly infoOf: (workspaceId: string, channelId: string) => Promise<Channel>;
  readonly forget: (workspaceId: string, channelId: string) => void;
}

/**
 * Source: conversations.info, scopes channels:read and groups:read.
 *
 * @param clientFor the Web API client of a workspace; undefined if the app isn't installed there
 * @param now milliseconds since any moment
 */
export function createChannelInfo(
  clientFor: (workspaceId: string) => Promise<WebClient | undefined>,
  now: () => number,
): ChannelInfo {
  const recent = createRecentAnswers<Channel>(now);
  const callMethod = createCallMethod(now);
  return {
    infoOf: (workspaceId, channelId) =>
      recent.get(workspaceId, channelId, async () => {
        const client = await clientFor(workspaceId);
        if (client === undefined) return {};
        const ask = () => client.conversations.info({ channel: channelId });
        return (await callMethod(workspaceId, ask)).channel ?? {};
      }),
    forget: (workspaceId, channelId) => recent.forget(workspaceId, channelId),
  };
}

/** Whether every member of the workspace may know about a channel; false if Slack doesn't say. */
export function createPublicCheck({ infoOf }: Pick<ChannelInfo, 'infoOf'>) {
  return async function isPublic(workspaceId: string, channelId: string): Promise<boolean> {
    const info = await infoOf(workspaceId, channelId).catch(() => undefined);
    return info?.is_channel === true && info.is_private === false;
  };
}
