import type { WebClient } from '@slack/web-api';
import type { Message } from '../messages/message.ts';
import { plainAnswer } from './plain-answer.ts';
import type { Reached, ShowPrivately } from '../watch/continue-in-slack.ts';
import { isContentRefused } from './call-failure.ts';

/**
 * Shows a message to one person: as an ephemeral message in their channel, otherwise as a direct message. Slack shows
 * an ephemeral message only if both the app and the person are in the channel. Source: chat.postEphemeral, Errors.
 *
 * @param clientFor the Web API client of a workspace; undefined if the app isn't installed there
 * @param report called with what Slack refused
 */
export function createPrivateMessage(
  clientFor: (workspaceId: string) => Promise<WebClient | undefined>,
  report: (error: unknown) => void,
): ShowPrivately {
  return async function showPrivately({ workspaceId, userId, channelId, threadTs }, message) {
    async function show(client: WebClient, { text, blocks }: Message): Promise<Reached> {
      if (channelId !== undefined) {
        const shown = await client.chat
          .postEphemeral({ channel: channelId, user: userId, text, blocks, thread_ts: threadTs })
          .catch(report);
        if (shown !== undefined) return 'channel';
      }
      await client.chat.postMessage({
        channel: userId,
        text,
        blocks,
        unfurl_links: false,
        unfurl_media: false,
      });
      return 'direct';
    }

    try {
      const client = await clientFor(workspaceId);
      if (client === undefined) return 'nowhere';
      return await show(client, message).catch((error: unknown) => {
        if (!isContentRefused(error)) throw error;
        report(error);
        return show(client, plainAnswer(message));
      });
    } catch (error) {
      report(error);
      return 'nowhere';
    }
  };
}
