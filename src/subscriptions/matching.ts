import { z } from 'zod';
import { isDirect } from '../grants/subscription.ts';
import type { Filters, Subscription } from '../grants/subscription.ts';
import type { Store } from '../storage/store.ts';
import type { SubscriptionRepository } from './repository.ts';

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

/**
 * Whether a subscription wants a session, or why not; `soon` while another one of its channel is about to tell of it.
 * `dropped_there`: an admin took it off for that channel.
 */
export type Verdict = 'go' | 'soon' | 'filtered_out' | 'already_in_channel' | 'dropped_there';

/** How a delivery fared; `over` where it was given up, not wanted, or is not there. */
export type Outcome = 'waiting' | 'posted' | 'dropped' | 'over';

/** What follows for the other subscriptions of a channel from how the one fared that was to tell it. */
const BESIDES: Readonly<Record<Outcome, Verdict>> = {
  waiting: 'soon',
  posted: 'already_in_channel',
  dropped: 'dropped_there',
  over: 'go',
};

interface MatchingParts {
  readonly repository: Pick<SubscriptionRepository, 'of'>;
  /** Which subscription is to tell its channel of a session, or has told it. */
  readonly told: Store;
  readonly outcomeOf: (deliveryId: string) => Promise<Outcome>;
  /** Of a visitor, now; none where the service knows it no longer. Rejects where it cannot be asked. */
  readonly tagsOf: (visitorId: string) => Promise<readonly string[]>;
  /** Rejects where Slack cannot be asked. */
  readonly isInGroup: (workspaceId: string, userId: string, groupId: string) => Promise<boolean>;
}

/** Which subscriptions are to hear of a session. */
export interface Matching {
  /**
   * Those that may want it: set up before it ended, and not for the place that has its summary anyway. Their filters
   * are not asked yet.
   *
   * @param endedAt milliseconds since 1970
   * @param ownPlace a channel's id, or a user's for their direct messages
   */
  candidates(workspaceId: string, endedAt: number, ownPlace: string): Promise<readonly Subscription[]>;
  /**
   * Asks the filters, now; a channel with several subscriptions hears once.
   *
   * @param deliveryTo the id of the delivery to a subscription
   */
  judge(
    subscription: Subscription,
    session: EndedSession,
    deliveryTo: (subscriptionId: string) => string,
  ): Promise<Verdict>;
}

/** Direct messages have an id of their own beside that of the person, who alone can set something up there. */
function isIn({ channelId, setUpBy }: Subscription, place: string): boolean {
  return channelId === place || (isDirect(channelId) && setUpBy === place);
}

export function createMatching({ repository, told, outcomeOf, tagsOf, isInGroup }: MatchingParts): Matching {
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
    async candidates(workspaceId, endedAt, ownPlace) {
      const all = await repository.of(workspaceId);
      return all.filter(
        (one) =>
          one.schedule === undefined && !isIn(one, ownPlace) && one.setUpAt <= endedAt + CLOCKS_APART_MS,
      );
    },

    async judge({ id, channelId, filters }, session, deliveryTo) {
      if (!(await passes(filters, session))) return 'filtered_out';
      const key = `${session.workspaceId}:${channelId}:${session.sessionId}`;
      if (await told.add(key, id, REMEMBERED_MS)) return 'go';
      const teller = z.string().parse(await told.get(key));
      if (teller === id) return 'go';
      const outcome = await outcomeOf(deliveryTo(teller));
      // It takes the other's place.
      if (outcome === 'over') await told.set(key, id, REMEMBERED_MS);
      return BESIDES[outcome];
    },
  };
}
