import { LRUCache } from 'lru-cache';
import { isChannel } from '../model/slack-ids.ts';
import type { ChannelInfo } from './channel-info.ts';
import type { Shared } from '../views/cut-words.ts';
import { slackErrorCode } from './web-client.ts';

/** What is shared rarely ceases to be; and where Slack does not answer, what it said within this time holds. */
const KNOWN_MS = 60_000;
const MOST_CHANNELS = 5_000;

interface SharedParts {
  readonly infoOf: ChannelInfo['infoOf'];
  /** Told where Slack could not be asked. */
  readonly report: (error: unknown) => void;
  /** Milliseconds from any moment on. */
  readonly now: () => number;
}

/**
 * Whether a channel is, or is about to be, shared with another organisation; a direct message never is. Never rejects:
 * where Slack does not say, or cannot be asked and said nothing within the last minute, it is unknown. So is a channel
 * that Slack does not know: a private one that is shared gets another id, and what was meant for the one it had
 * may follow it there.
 * Source: conversations.info, `is_ext_shared` and `is_pending_ext_shared`.
 */
export function createSharedCheck({ infoOf, report, now }: SharedParts) {
  const known = new LRUCache<string, boolean>({
    max: MOST_CHANNELS,
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
      // A backlog uses up what Slack answers in a minute: without this, channels of our own would get less than they may.
      return before ?? 'unknown';
    }
  };
}
