import type { PreparedEntry } from '../audit/audit.ts';
import type { Message } from '../messages/message.ts';
import type { Actor } from '../permissions/acts.ts';
import type { Announce, TellAndWrite } from './announce.ts';
import type { AuditEntries } from './audit-entries.ts';
import { subscriptionList } from './list.ts';
import type { MayManage } from './may-manage.ts';
import {
  noSuchSubscription,
  noneIn,
  summariesEnded,
  unreadableEnded,
  unreadableRemoved,
  unsubscribed,
} from './messages.ts';
import { resumed, stillPaused, summariesResumed } from './pause-messages.ts';
import type { SubscriptionRepository } from './repository.ts';
import { isUnreadable, type Subscription, type UnreadableSubscription } from './subscription.ts';

/** The list of all has more. */
const MOST_CHOICES = 10;

/** What people do with existing subscriptions; each answers in words. */
export function createManage({
  repository,
  mayManage,
  announce,
  tellAndWrite,
  actions,
  resume,
}: {
  readonly repository: SubscriptionRepository;
  readonly mayManage: MayManage;
  readonly announce: Announce;
  readonly tellAndWrite: TellAndWrite;
  readonly actions: Pick<AuditEntries, 'prepare' | 'refused'>;
  /** Ends a pause: the channel accepted a post. */
  readonly resume: (
    subscription: Subscription,
    entryOf: (changed: Subscription) => PreparedEntry,
  ) => Promise<void>;
}) {
  /** Whoever types a number may not be allowed to know its channel: it may be private. */
  async function find(id: string, caller: Actor): Promise<Subscription | UnreadableSubscription | undefined> {
    const all = await repository.withUnreadable(caller.workspaceId);
    const subscription = all.find((one) => one.id === id);
    if (subscription === undefined) return undefined;
    const refused = await mayManage.one(caller, subscription);
    if (refused === undefined) return subscription;
    await actions.refused(caller, refused, subscription.channelId);
    return undefined;
  }

  async function remove(
    { workspaceId, id, channelId }: Subscription | UnreadableSubscription,
    caller: Actor,
  ): Promise<Message> {
    const removed = await repository.remove(workspaceId, id, (gone) =>
      actions.prepare(caller, 'removed', gone),
    );
    if (removed === undefined) return noSuchSubscription();
    const [told, answer] = isUnreadable(removed)
      ? [unreadableEnded(caller.userId), unreadableRemoved(removed)]
      : [summariesEnded(caller.userId, removed), unsubscribed(removed)];
    // If the channel doesn't accept posts, it needn't be told.
    await announce(workspaceId, channelId, told);
    return answer;
  }

  return {
    /** Ends a channel's subscription, or its digest; asks which one if there are several. */
    endIn: async (channelId: string, caller: Actor, isDigest = false): Promise<Message> => {
      const refused = await mayManage.channel(caller, channelId);
      if (refused !== undefined) return actions.refused(caller, refused, channelId);
      const there = (await repository.withUnreadable(caller.workspaceId)).filter(
        (one) =>
          one.channelId === channelId && (!isDigest || (!isUnreadable(one) && one.schedule !== undefined)),
      );
      const [only, ...others] = there;
      if (only === undefined) return noneIn(channelId, isDigest);
      if (others.length === 0) return remove(only, caller);
      const listed = there.slice(0, MOST_CHOICES).map((one) => ({ ...one, isHidden: false }));
      return subscriptionList(listed, { title: 'Which one?', hidden: 0, more: undefined, isToRemove: true });
    },

    end: async (id: string, caller: Actor): Promise<Message> => {
      const subscription = await find(id, caller);
      return subscription === undefined ? noSuchSubscription() : remove(subscription, caller);
    },

    /** Tries a post in the channel of a paused subscription. */
    resume: async (id: string, caller: Actor): Promise<Message> => {
      const subscription = await find(id, caller);
      if (subscription === undefined || isUnreadable(subscription)) return noSuchSubscription();
      const { workspaceId, channelId } = subscription;
      const told = await tellAndWrite(
        [workspaceId, channelId],
        summariesResumed(caller.userId, subscription),
        async () => {
          await resume(subscription, (changed) => actions.prepare(caller, 'resumed', changed));
          // Someone may have removed it meanwhile.
          return repository.one(workspaceId, id);
        },
      );
      if ('refused' in told) return stillPaused(subscription, told.refused.reason);
      return told.written === undefined ? noSuchSubscription() : resumed(subscription);
    },
  };
}
