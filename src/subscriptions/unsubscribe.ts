import { z } from 'zod';
import { defineCommand, definePress } from '../commands/command.ts';
import { plainTyped } from '../commands/typed.ts';
import { ACTION } from '../messages/action-ids.ts';
import type { Message } from '../messages/message.ts';
import type { Actor } from '../permissions/permissions.ts';
import { subscriptionList } from './list.ts';
import type { Managing } from './managing.ts';
import {
  noneIn,
  noSuchSubscription,
  summariesEnded,
  unreadableEnded,
  unreadableRemoved,
  unsubscribed,
} from './messages.ts';
import type { SubscriptionRepository } from './repository.ts';
import { complaintAbout } from './subscribe.ts';
import {
  isUnreadable,
  subscriptionId,
  type Subscription,
  type UnreadableSubscription,
} from './subscription.ts';

/** The list of all has more. */
const MOST_CHOICES = 10;

/** Which subscription is meant: one by its number, those of a channel, or those of the channel one is in. */
type Which = { readonly id: string } | { readonly channelId: string } | 'here';

export const whichSubscription = z.string().transform((text, context): Which => {
  const typed = plainTyped(text);
  if (typed === '' || typed.toLowerCase() === 'here') return 'here';
  const number = /^(?:no\.?|number|#)?\s*([1-9]\d{0,5})$/i.exec(typed)?.[1];
  if (number !== undefined) return { id: number };
  const channelId = /^<#([CDG][A-Z0-9]+)(?:\|[^<>]*)?>$/.exec(typed)?.[1];
  if (channelId !== undefined) return { channelId };
  context.addIssue(complaintAbout([typed]));
  return z.NEVER;
});

/** Ending subscriptions; the channel is told, and each answers in words. */
export function createUnsubscribe(
  repository: SubscriptionRepository,
  { mustManage, mayManage, announce, entryOf }: Managing,
) {
  async function remove(one: Subscription | UnreadableSubscription, caller: Actor): Promise<Message> {
    const removed = await repository.remove(one.workspaceId, one.id, (gone) =>
      entryOf(caller, 'removed', gone),
    );
    if (removed === undefined) return noSuchSubscription();
    const [told, answer] = isUnreadable(removed)
      ? [unreadableEnded(caller.userId), unreadableRemoved(removed)]
      : [summariesEnded(caller.userId, removed), unsubscribed(removed)];
    // If the channel doesn't accept posts, it needn't be told.
    await announce(one, told);
    return answer;
  }

  async function end(id: string, caller: Actor): Promise<Message> {
    const all = await repository.withUnreadable(caller.workspaceId);
    const found = all.find((one) => one.id === id);
    if (found === undefined || !(await mayManage(caller, found))) return noSuchSubscription();
    return remove(found, caller);
  }

  /** A channel's subscription, the caller's without one, or its digest; asks which one if there are several. */
  async function endIn(channelId: string | undefined, caller: Actor, isDigest = false): Promise<Message> {
    if (channelId === undefined) return noSuchSubscription();
    await mustManage(caller, channelId);
    const there = (await repository.withUnreadable(caller.workspaceId)).filter(
      (one) =>
        one.channelId === channelId && (!isDigest || (!isUnreadable(one) && one.schedule !== undefined)),
    );
    const [only, ...others] = there;
    if (only === undefined) return noneIn(channelId, isDigest);
    if (others.length === 0) return remove(only, caller);
    const listed = there.slice(0, MOST_CHOICES).map((one) => ({ ...one, isHidden: false }));
    return subscriptionList(listed, { title: 'Which one?', hidden: 0, isToRemove: true });
  }

  const command = defineCommand({
    name: 'unsubscribe',
    usage: 'unsubscribe [#channel or number]',
    summary: 'Turn off summaries (without a channel, here)',
    right: 'subscribe',
    examples: ['unsubscribe', 'unsubscribe #support', 'unsubscribe 3'],
    needs: 'sessionEnds',
    argument: whichSubscription,
    run: async (which, caller) =>
      which !== 'here' && 'id' in which
        ? end(which.id, caller)
        : endIn(which === 'here' ? caller.channelId : which.channelId, caller),
    presses: [
      definePress({
        actionId: ACTION.unsubscribe,
        answer: 'add',
        right: 'subscribe',
        value: subscriptionId,
        run: end,
      }),
    ],
  });
  return { command, endIn };
}
