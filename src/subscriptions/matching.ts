import type { Candidate, EndedSession } from '../sessions/subscribers.ts';
import { isDirect } from './subscription.ts';
import type { Filters, Subscription } from './subscription.ts';
import { isSeenWithoutPost } from './pauses.ts';
import type { SubscriptionRepository } from './repository.ts';

/** How far the service's clock and ours may differ. */
const CLOCKS_APART_MS = 2 * 60 * 1_000;

export interface MatchingParts {
  readonly repository: Pick<SubscriptionRepository, 'known'>;
  /** A visitor's current tags; none if the service no longer knows the visitor. Rejects if it can't be asked. */
  readonly tagsOf: (workspaceId: string, visitorId: string) => Promise<readonly string[]>;
  /** Rejects if Slack can't be asked. */
  readonly isInGroup: (workspaceId: string, userId: string, groupId: string) => Promise<boolean>;
}

/** A direct message has its own id beside the person's, and only that person can set something up there. */
function isIn({ channelId, setUpBy }: Subscription, place: string): boolean {
  return channelId === place || (isDirect(channelId) && setUpBy === place);
}

/** Rather one summary too many than one missed: an unknown length counts as long enough. */
const isLongEnough = ({ minSeconds = 0 }: Filters, { seconds = Infinity }: EndedSession) =>
  seconds >= minSeconds;

/** Whether an agent matches; undefined if Slack has to be asked who is in a group. */
function isByKnown({ agents, groups }: Filters, { userId }: EndedSession): boolean | undefined {
  if (agents.length + groups.length === 0 || agents.includes(userId)) return true;
  return groups.length === 0 ? false : undefined;
}

/** Which subscriptions get a session. */
export type Matching = ReturnType<typeof createMatching>;

export function createMatching({ repository, tagsOf, isInGroup }: MatchingParts) {
  async function isBySomebody(filters: Filters, session: EndedSession): Promise<boolean> {
    const known = isByKnown(filters, session);
    if (known !== undefined) return known;
    const { workspaceId, userId } = session;
    const memberships = await Promise.all(filters.groups.map(({ id }) => isInGroup(workspaceId, userId, id)));
    return memberships.includes(true);
  }

  async function isTagged({ tags }: Filters, { workspaceId, visitorId }: EndedSession) {
    if (tags.length === 0) return true;
    const wanted = new Set(tags.map((tag) => tag.toLowerCase()));
    return (await tagsOf(workspaceId, visitorId)).some((tag) => wanted.has(tag.trim().toLowerCase()));
  }

  return {
    /**
     * Those that may match: set up before the session ended, not for the place that gets its summary anyway, not in a
     * channel that Slack says the app can't post in, and not ruled out by what is known without asking anyone.
     *
     * @param ownPlace a channel's id, or a user's for their direct messages
     */
    async candidates(session: EndedSession, ownPlace: string): Promise<readonly Candidate[]> {
      const all = await repository.known(session.workspaceId);
      const mayBe = all.filter(
        (one) =>
          one.schedule === undefined &&
          !isIn(one, ownPlace) &&
          // Slack says when that ends. Any other pause ends with a post that works, so those are still tried.
          !isSeenWithoutPost(one.paused?.reason ?? '') &&
          one.setUpAt <= session.endedAt + CLOCKS_APART_MS &&
          isLongEnough(one.filters, session) &&
          isByKnown(one.filters, session) !== false,
      );
      return mayBe.map(({ id, channelId, filters }) => {
        const isCertain = isByKnown(filters, session) === true && filters.tags.length === 0;
        return { id, channelId, isCertain };
      });
    },

    /** Applies the filters. */
    async passes(filters: Filters, session: EndedSession): Promise<boolean> {
      if (!isLongEnough(filters, session)) return false;
      return (await isBySomebody(filters, session)) && (await isTagged(filters, session));
    },
  };
}
