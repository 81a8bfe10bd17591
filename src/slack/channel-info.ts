import type { WebClient } from '@slack/web-api';
import { LRUCache } from 'lru-cache';
import type { Shared } from '../messages/visitor-pieces.ts';
import { isChannel } from '../permissions/slack-ids.ts';
import { ChannelFound, type SlackChannel } from '../workspaces/slack-answers.ts';
import { slackErrorKind } from '../workspaces/web-client.ts';
import { createCallMethod, createRecentAnswers } from './recent-answers.ts';

/** A shared channel rarely stops being shared. If Slack doesn't answer, its last answer is used for this long. */
const KNOWN_MS = 60_000;
const MOST_CHANNELS = 5_000;

/**
 * What Slack says about channels. Source: conversations.info, scopes channels:read and groups:read.
 *
 * @param clientFor the Web API client of a workspace; undefined if the app isn't installed there
 * @param now milliseconds since any moment
 * @param report called if Slack couldn't be asked whether a channel is shared
 */
export function createChannelInfo(
  clientFor: (workspaceId: string) => Promise<WebClient | undefined>,
  now: () => number,
  report: (error: unknown) => void,
) {
  const recent = createRecentAnswers<SlackChannel>(now);
  const callMethod = createCallMethod(now);
  const known = new LRUCache<string, boolean>({
    // `max` would take the memory for all of them at once.
    maxSize: MOST_CHANNELS,
    sizeCalculation: () => 1,
    ttl: KNOWN_MS,
    ttlResolution: 0,
    perf: { now },
  });

  /** Empty if Slack says nothing. Rejects if Slack can't be asked, or doesn't show the channel. */
  const infoOf = (workspaceId: string, channelId: string): Promise<SlackChannel> =>
    recent.get(workspaceId, channelId, async () => {
      const client = await clientFor(workspaceId);
      if (client === undefined) return {};
      const ask = async () => ChannelFound.parse(await client.conversations.info({ channel: channelId }));
      return (await callMethod(workspaceId, ask)).channel ?? {};
    });

  async function sharing(workspaceId: string, channelId: string): Promise<boolean | undefined> {
    const { is_ext_shared: shared, is_pending_ext_shared: isPending } = await infoOf(workspaceId, channelId);
    return shared === false ? isPending === true : shared;
  }

  /**
   * Whether a channel is, or is about to be, shared with another organization; a direct message never is. Never rejects:
   * if Slack doesn't say, or can't be asked and said nothing within the last minute, it's unknown. So is a channel that
   * Slack doesn't know: a private one that gets shared has another id, and a message for the old id may follow it there.
   * Source: conversations.info, `is_ext_shared` and `is_pending_ext_shared`.
   */
  async function isShared(workspaceId: string, place: string): Promise<Shared> {
    if (!isChannel(place)) return false;
    const key = `${workspaceId} ${place}`;
    const before = known.get(key);
    if (before === true) return true;
    try {
      const shared = await sharing(workspaceId, place);
      if (shared !== undefined) known.set(key, shared);
      return shared ?? 'unknown';
    } catch (error) {
      if (slackErrorKind(error) === 'not-in-channel') return 'unknown';
      report(error);
      // A backlog uses up Slack's rate limit for a minute; without this, unshared channels would get less than they
      // could.
      return before ?? 'unknown';
    }
  }

  return {
    isShared,
    /** Whether every member of the workspace may know about a channel; false if Slack doesn't say. */
    isPublic: async (workspaceId: string, channelId: string): Promise<boolean> => {
      const info = await infoOf(workspaceId, channelId).catch(() => undefined);
      return info?.is_channel === true && info.is_private === false;
    },
    /** What a channel is called; undefined if Slack doesn't show it. Never rejects. */
    channelNameOf: async (workspaceId: string, channelId: string) => {
      const info = await infoOf(workspaceId, channelId).catch(() => undefined);
      return info && { name: info.name, isPublic: info.is_channel === true && info.is_private === false };
    },
    /** Whether the app is in a channel, and so can post there; undefined if Slack doesn't say. Never rejects. */
    isAppIn: async (workspaceId: string, channelId: string): Promise<boolean | undefined> => {
      try {
        return (await infoOf(workspaceId, channelId)).is_member;
      } catch (error) {
        return slackErrorKind(error) === 'not-in-channel' ? false : undefined;
      }
    },
    /** Somebody joined or left. */
    forget: recent.forget,
  };
}
