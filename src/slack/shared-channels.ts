import { LRUCache } from 'lru-cache';
import { atMost } from '../cache-limit.ts';
import type { Shared } from '../messages/visitor-pieces.ts';
import { isChannel } from '../slack-ids.ts';
import { slackErrorCode } from '../workspaces/web-client.ts';
import type { ChannelInfo } from './channel-info.ts';

/** A shared channel rarely stops being shared. If Slack doesn't answer, its last answer is used for this long. */
const KNOWN_MS = 60_000;
const MOST_CHANNELS = 5_000;

interface SharedParts {
  readonly infoOf: ChannelInfo['infoOf'];
  /** Called if Slack couldn't be asked. */
  readonly report: (error: unknown) => void;
  /** Milliseconds since any moment. */
  readonly now: () => number;
}

/**
 * Whether a channel is, or is about to be, shared with another organisation; a direct message never is. Never rejects:
 * if Slack doesn't say, or can't be asked and said nothing within the last minute, it's unknown. So is a channel that
 * Slack doesn't know: a private one that gets shared has another id, and a message for the old id may follow it there.
 * Source: conversations.info, `is_ext_shared` and `is_pending_ext_shared`.
 */
export function createSharedCheck({ infoOf, report, now }: SharedParts) {
  const known = new LRUCache<string, boolean>({
    ...atMost(MOST_CHANNELS),
    ttl: KNOWN_MS,
    ttlResolution: 0,
    perf: { now },
  });

  async function ask(workspaceId: string, channelId: string): Promise<boolean | undefined> {
    const { is_ext_shared: isShared, is_pending_ext_shared: isPending } = await infoOf(
      workspaceId,
      channelId,
    );
    if (isShared === undefined) return undefined;
    return isShared || isPending === true;
  }

  return async function isShared(workspaceId: string, place: string): Promise<Shared> {
    if (!isChannel(place)) return false;
    const key = `${workspaceId} ${place}`;
    const before = known.get(key);
    if (before === true) return true;
    try {
      const shared = await ask(workspaceId, place);
      if (shared !== undefined) known.set(key, shared);
      return shared ?? 'unknown';
    } catch (error) {
      if (slackErrorCode(error) === 'channel_not_found') return 'unknown';
      report(error);
      // A backlog uses up Slack's rate limit for a minute; without this, unshared channels would get less than they
      // could.
      return before ?? 'unknown';
    }
  };
}
