import type { App } from '../parts.ts';
import type { EndedSession, Subscribers } from '../sessions/subscribers.ts';
import { isSeenWithoutPost, type Pauses } from './pauses.ts';
import type { SubscriptionRepository } from './repository.ts';
import { isDirect, kindOf, type Filters, type Subscription } from './subscription.ts';

/** A direct message has its own id beside the person's, and only that person can set something up there. */
function isIn({ channelId, setUpBy }: Subscription, place: string): boolean {
  return channelId === place || (isDirect(channelId) && setUpBy === place);
}

/** Whether an agent matches; undefined if Slack has to be asked who is in a group. */
function isByKnown({ agents, groups }: Filters, { userId }: EndedSession): boolean | undefined {
  if (agents.length + groups.length === 0 || agents.includes(userId)) return true;
  return groups.length === 0 ? false : undefined;
}

/** Whether a session is one of those that filters say; undefined if Slack or the service has to be asked. */
export function mayMatch(filters: Filters, session: EndedSession): boolean | undefined {
  // Rather one summary too many than one missed: an unknown length counts as long enough.
  if ((session.seconds ?? Infinity) < (filters.minSeconds ?? 0)) return false;
  const isBy = isByKnown(filters, session);
  return isBy === true && filters.tags.length > 0 ? undefined : isBy;
}

/** The same, asking where needed; rejects if that fails. @param tagsOf none if the service no longer knows the visitor */
export function createMatches(
  isInGroup: App['isInGroup'],
  tagsOf: (workspaceId: string, visitorId: string) => Promise<readonly string[]>,
) {
  return async (filters: Filters, session: EndedSession): Promise<boolean> => {
    const known = mayMatch(filters, session);
    if (known !== undefined) return known;
    const { workspaceId, userId, visitorId } = session;
    if (isByKnown(filters, session) === undefined) {
      const memberships = filters.groups.map(({ id }) => isInGroup(workspaceId, userId, id));
      if (!(await Promise.all(memberships)).includes(true)) return false;
    }
    if (filters.tags.length === 0) return true;
    const wanted = new Set(filters.tags.map((tag) => tag.toLowerCase()));
    return (await tagsOf(workspaceId, visitorId)).some((tag) => wanted.has(tag.trim().toLowerCase()));
  };
}
export type Matches = ReturnType<typeof createMatches>;

/** Which subscriptions get a session, and what deliveries need to know about them. */
export function createSubscribers(
  { mayAct }: Pick<App, 'mayAct'>,
  repository: Pick<SubscriptionRepository, 'of' | 'one'>,
  matches: Matches,
  pauses: Pick<Pauses, 'worked' | 'failed'>,
): Subscribers {
  /** In direct messages, whoever lost Watch since gets summaries, as they still find customers, but no digests: those show usage. */
  async function mayBeRead({ workspaceId, channelId, setUpBy, schedule }: Subscription): Promise<boolean> {
    if (!isDirect(channelId)) return true;
    const isDigest = schedule !== undefined;
    const verdict = await mayAct(isDigest ? 'usage' : 'watch', { workspaceId, userId: setUpBy });
    return verdict.allowed || (!isDigest && verdict.why === 'not-named');
  }

  return {
    async candidates(session, ownPlace) {
      const mayBe = (await repository.of(session.workspaceId)).filter(
        (one) =>
          kindOf(one) === 'summaries' &&
          !isIn(one, ownPlace) &&
          // Slack says when that ends. Any other pause ends with a post that works, so those are still tried.
          !isSeenWithoutPost(one.paused?.reason ?? '') &&
          mayMatch(one.filters, session) !== false,
      );
      return mayBe.map(({ id, channelId }) => ({ id, channelId }));
    },

    async formNow(workspaceId, id, session) {
      const subscription = await repository.one(workspaceId, id);
      if (subscription === undefined) return { skip: 'subscription_removed' };
      if (session !== undefined && !(await matches(subscription.filters, session)))
        return { skip: 'filtered_out' };
      return (await mayBeRead(subscription)) ? { form: subscription.form } : { skip: 'reader_may_not' };
    },

    async onOutcome(workspaceId, channelId, outcome) {
      if (outcome.outcome === 'posted') await pauses.worked(workspaceId, channelId);
      else await pauses.failed(workspaceId, channelId, outcome.reason);
    },
  };
}
