import type { WebClient } from '@slack/web-api';
import { LRUCache } from 'lru-cache';

const FRESH_MS = 60_000;
const MOST_CHANNELS = 1_000;

/**
 * Whether every member of the workspace may know of a channel; false where Slack does not say. Kept for a minute.
 * Source: conversations.info, scopes channels:read and groups:read.
 *
 * @param clientFor the Web API client of a workspace; undefined where the app is not installed there
 */
export function createPublicCheck(clientFor: (workspaceId: string) => Promise<WebClient | undefined>) {
  const known = new LRUCache<string, boolean>({ max: MOST_CHANNELS, ttl: FRESH_MS });
  return async function isPublic(workspaceId: string, channelId: string): Promise<boolean> {
    const key = `${workspaceId} ${channelId}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const client = await clientFor(workspaceId);
    const answer = await client?.conversations.info({ channel: channelId }).catch(() => undefined);
    if (answer?.channel === undefined) return false;
    const isOpen = answer.channel.is_channel === true && answer.channel.is_private === false;
    known.set(key, isOpen);
    return isOpen;
  };
}
