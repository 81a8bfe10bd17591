import type { Message } from '../messages/message.ts';
import { RightUnknownError } from '../permissions/acts.ts';
import type { Actor } from '../permissions/acts.ts';
import { neverMay } from '../permissions/permissions.ts';
import type { Membership } from '../permissions/permissions.ts';
import type { AuditEntries } from './audit-entries.ts';
import { noSubscriptions, subscriptionList } from './list-message.ts';
import type { ListedSubscription } from './list-message.ts';
import type { SubscriptionRepository } from './repository.ts';
import type { Subscription, UnreadableSubscription } from './subscription.ts';

const PAGE = 10;

interface ListingParts {
  readonly repository: SubscriptionRepository;
  readonly actions: Pick<AuditEntries, 'notShown'>;
  readonly membershipOf: (workspaceId: string, userId: string) => Promise<Membership>;
  readonly isInChannel: (
    workspaceId: string,
    userId: string,
    channelId: string,
  ) => Promise<boolean | undefined>;
  /** Whether every member of the workspace can see the channel; false if Slack doesn't say. */
  readonly isPublic: (workspaceId: string, channelId: string) => Promise<boolean>;
}

/**
 * The subscriptions that a person can see. Rejects with a RightUnknownError if Slack can't be asked.
 * @param after the number after which the page begins
 */
export type ListSubscriptions = (after: number, caller: Actor) => Promise<Message>;

/**
 * A private channel's subscription is shown to its members and to whoever set it up. Admins can remove it, so they see that
 * there is one, but not where.
 */
export function createListing({
  repository,
  actions,
  membershipOf,
  isInChannel,
  isPublic,
}: ListingParts): ListSubscriptions {
  const askIfIn: typeof isInChannel = (...asked) =>
    isInChannel(...asked).catch((error: unknown) => {
      throw new RightUnknownError(error);
    });

  async function seenBy(
    { workspaceId, userId }: Actor,
    membership: Membership,
    subscription: Subscription | UnreadableSubscription,
  ): Promise<ListedSubscription | undefined> {
    const { channelId, setUpBy } = subscription;
    const { isAdmin, isGuest, isExternal } = membership;
    const shown = { ...subscription, isHidden: false };
    if (setUpBy === userId && !isExternal) return shown;
    if (!isGuest && !isExternal && (await isPublic(workspaceId, channelId))) return shown;
    if ((await askIfIn(workspaceId, userId, channelId)) === true) return shown;
    return isAdmin ? { ...shown, isHidden: true } : undefined;
  }

  return async function list(after, caller) {
    const membership = await membershipOf(caller.workspaceId, caller.userId).catch((error: unknown) => {
      throw new RightUnknownError(error);
    });
    const never = neverMay(membership);
    if (never !== undefined) return actions.notShown(caller, never);
    const all = await repository.withUnreadable(caller.workspaceId);
    const later = all.filter(({ id }) => Number(id) > after);
    const listed: ListedSubscription[] = [];
    let hidden = 0;
    let looked = 0;
    for (const subscription of later) {
      if (listed.length === PAGE) break;
      looked += 1;
      const seen = await seenBy(caller, membership, subscription);
      if (seen === undefined) hidden += 1;
      else listed.push(seen);
    }
    if (listed.length === 0) return noSubscriptions(hidden);
    const more = looked < later.length ? later[looked - 1]?.id : undefined;
    return subscriptionList(listed, { title: 'Subscriptions', hidden, more });
  };
}
