import type { Filters, Subscription } from '../grants/subscription.ts';
import type { Store } from '../storage/store.ts';
import type { SubscriptionBook } from './book.ts';

const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1_000;
/** The service's clock and ours. */
const CLOCKS_APART_MS = 2 * 60 * 1_000;

/** A session that ended, as far as a subscription asks. */
export interface EndedSession {
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly visitorId: string;
  /** Who pressed Watch. */
  readonly userId: string;
  /** Undefined where it is not known. */
  readonly seconds: number | undefined;
}

/** Why a subscription does not want a session. */
export type Unwanted = 'subscription_removed' | 'filtered_out' | 'already_in_channel';

interface MatchingParts {
  readonly book: SubscriptionBook;
  /** Which subscription told its channel of a session. */
  readonly told: Store;
  /** Of a visitor, now; none where the service knows it no longer. Rejects where it cannot be asked. */
  readonly tagsOf: (visitorId: string) => Promise<readonly string[]>;
  /** Rejects where Slack cannot be asked. */
  readonly isInGroup: (workspaceId: string, userId: string, groupId: string) => Promise<boolean>;
}

/** Which subscriptions are to hear of a session. */
export interface Matching {
  /**
   * Those that may want it: set up before it ended, and not for the channel that has its summary anyway. Their filters
   * are not asked yet.
   *
   * @param endedAt milliseconds since 1970
   */
  candidates(workspaceId: string, endedAt: number, ownChannel: string): Promise<readonly Subscription[]>;
  /** Asks the filters, now; a channel with several subscriptions hears once. Undefined where it is wanted. */
  unwanted(id: string, session: EndedSession): Promise<Unwanted | undefined>;
}

export function createMatching({ book, told, tagsOf, isInGroup }: MatchingParts): Matching {
  async function isBySomebody({ agents, groups }: Filters, { workspaceId, userId }: EndedSession) {
    if (agents.length + groups.length === 0 || agents.includes(userId)) return true;
    const memberships = await Promise.all(groups.map(({ id }) => isInGroup(workspaceId, userId, id)));
    return memberships.includes(true);
  }

  async function isTagged({ tags }: Filters, { visitorId }: EndedSession) {
    if (tags.length === 0) return true;
    const wanted = new Set(tags.map((tag) => tag.toLowerCase()));
    return (await tagsOf(visitorId)).some((tag) => wanted.has(tag.trim().toLowerCase()));
  }

  async function passes(filters: Filters, session: EndedSession): Promise<boolean> {
    // Better a summary too many than one that is missed: a length that nobody knows is long enough.
    if ((session.seconds ?? Infinity) < (filters.minSeconds ?? 0)) return false;
    return (await isBySomebody(filters, session)) && (await isTagged(filters, session));
  }

  return {
    async candidates(workspaceId, endedAt, ownChannel) {
      const all = await book.of(workspaceId);
      return all.filter(
        ({ channelId, setUpAt, schedule }) =>
          schedule === undefined && channelId !== ownChannel && setUpAt <= endedAt + CLOCKS_APART_MS,
      );
    },

    async unwanted(id, session) {
      const { workspaceId, sessionId } = session;
      const subscription = await book.one(workspaceId, id);
      if (subscription === undefined) return 'subscription_removed';
      if (!(await passes(subscription.filters, session))) return 'filtered_out';
      const key = `${workspaceId}:${subscription.channelId}:${sessionId}`;
      const isFirst = (await told.add(key, id, REMEMBERED_MS)) || (await told.get(key)) === id;
      return isFirst ? undefined : 'already_in_channel';
    },
  };
}
