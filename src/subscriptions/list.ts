import { z } from 'zod';
import { defineCommand, definePress } from '../commands/command.ts';
import { Answered } from '../commands/rights.ts';
import { nothing } from '../commands/typed.ts';
import { ACTION } from '../messages/action-ids.ts';
import {
  button,
  buttons,
  heading,
  lines,
  message,
  notice,
  type Message,
  type Part,
} from '../messages/message.ts';
import { bold, code, date, plainDate, say, user, type Line } from '../messages/text.ts';
import type { App } from '../parts.ts';
import { rightUnknown, neverMay, type Actor, type Membership } from '../permissions/permissions.ts';
import type { Managing } from './managing.ts';
import {
  contentInWords,
  noSuchSubscription,
  placeOf,
  subscriptionsNotShown,
  summariesResumed,
} from './messages.ts';
import { resumed, stillPaused, whatToDo, whyPaused } from './pause-messages.ts';
import type { Resume } from './pauses.ts';
import type { SubscriptionRepository } from './repository.ts';
import {
  isUnreadable,
  subscriptionId,
  type Subscription,
  type UnreadableSubscription,
} from './subscription.ts';

/** A subscription as a list shows it; `isHidden` if the reader can't see its channel. */
type ListedSubscription = (Subscription | UnreadableSubscription) & { readonly isHidden: boolean };

function stateLine({ paused, channelId }: Subscription, isHidden: boolean): Line {
  if (paused === undefined) return ['Active.'];
  const next = !isHidden && say` ${whatToDo(paused.reason, channelId)}`;
  return say`${bold('Paused')} since ${plainDate(new Date(paused.since))}: ${whyPaused(paused.reason)}.${next}`;
}

/** Such as one that a newer version of the app wrote. */
const UNREADABLE = say`${bold('Can’t be read')}, so nothing is posted for it. It may be from a newer version of this app. Remove it and set it up again.`;

function rowOf(one: ListedSubscription, isToRemove: boolean): readonly Part[] {
  const { id, channelId, setUpBy, setUpAt, isHidden } = one;
  const readable = isUnreadable(one) ? undefined : one;
  const place = isHidden ? 'a private channel you aren’t in' : placeOf(channelId);
  const does = (text: string, actionId: string) => ({
    text,
    actionId,
    value: id,
    label: `${text} subscription ${id}`,
  });
  return [
    lines(
      say`${bold(`${id}. `)}${place}: ${readable ? say`${contentInWords(readable)}.` : UNREADABLE}`,
      say`Set up by ${user(setUpBy)} · ${date(new Date(setUpAt))}${readable && say` · ${stateLine(readable, isHidden)}`}`,
    ),
    buttons(
      readable?.paused && button(does('Resume', ACTION.resumeSubscription)),
      readable && !isHidden && !isToRemove && button(does('Edit', ACTION.editSubscription)),
      button({
        ...does('Remove', ACTION.unsubscribe),
        confirm: {
          title: 'Remove this subscription?',
          text: `Subscription ${id} ends, and the channel is told.`,
          yes: 'Remove',
          no: 'Keep it',
        },
      }),
    ),
  ];
}

const hiddenWords = (hidden: number) => `${hidden} more in private channels you aren’t in.`;

/** A page of the subscriptions. `more` is the value of the button that leads on. */
export const subscriptionList = (
  listed: readonly ListedSubscription[],
  {
    title,
    hidden,
    more,
    isToRemove = false,
  }: {
    readonly title: string;
    readonly hidden: number;
    readonly more?: string;
    /** Whether the list is for choosing which one to remove. */
    readonly isToRemove?: boolean;
  },
): Message =>
  message(
    heading(title),
    ...listed.flatMap((one) => rowOf(one, isToRemove)),
    hidden > 0 && lines([hiddenWords(hidden)]),
    more !== undefined &&
      buttons(
        button({
          text: 'More',
          actionId: ACTION.moreSubscriptions,
          value: more,
          label: 'More subscriptions',
        }),
      ),
  );

const noSubscriptions = (hidden: number): Message =>
  notice(
    [`No channel you can see has a subscription.${hidden === 0 ? '' : ` ${hiddenWords(hidden)}`}`],
    say`Set one up with ${code('/cobrowse subscribe')}.`,
  );

const PAGE = 10;

/** `/cobrowse subscriptions`, and what is pressed there. */
export function createSubscriptionsCommand(
  { profileOf, isInChannel, isPublic, record }: App,
  repository: SubscriptionRepository,
  { mayManage, tellAndWrite, entryOf }: Managing,
  resume: Resume,
) {
  /**
   * A private channel's subscription is shown to its members and to whoever set it up. Admins can remove it, so they see that
   * there is one, but not where.
   */
  async function seenBy(
    { workspaceId, userId }: Actor,
    { isAdmin, isGuest }: Membership,
    one: Subscription | UnreadableSubscription,
  ): Promise<ListedSubscription | undefined> {
    const isShown =
      one.setUpBy === userId ||
      (!isGuest && (await isPublic(workspaceId, one.channelId))) ||
      (await isInChannel(workspaceId, userId, one.channelId).catch(rightUnknown)) === true;
    return isShown || isAdmin ? { ...one, isHidden: !isShown } : undefined;
  }

  /** @param after the number after which the page begins */
  async function list(after: number, caller: Actor): Promise<Message> {
    const { workspaceId, userId, channelId } = caller;
    const membership = await profileOf(workspaceId, userId).catch(rightUnknown);
    const never = neverMay(membership);
    if (never !== undefined) {
      const detail = { act: 'subscriptions' };
      await record({ workspaceId, userId, channelId, action: 'refusal', outcome: never, detail });
      throw new Answered(subscriptionsNotShown());
    }
    const all = await repository.withUnreadable(workspaceId);
    const later = all.filter(({ id }) => Number(id) > after);
    const listed: ListedSubscription[] = [];
    let [hidden, looked] = [0, 0];
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
  }

  /** Tries a post in the channel of a paused subscription. */
  async function tryAgain(id: string, caller: Actor): Promise<Message> {
    const one = await repository.one(caller.workspaceId, id);
    if (one === undefined || !(await mayManage(caller, one))) return noSuchSubscription();
    const left = await tellAndWrite(
      one,
      summariesResumed(caller.userId, one),
      async () => {
        await resume(one, (changed) => entryOf(caller, 'resumed', changed));
        // Someone may have removed it meanwhile.
        return repository.one(one.workspaceId, id);
      },
      ({ reason }) => stillPaused(one, reason),
    );
    return left === undefined ? noSuchSubscription() : resumed(one);
  }

  return defineCommand({
    name: 'subscriptions',
    usage: 'subscriptions',
    summary: 'List subscriptions, and which are paused',
    right: 'subscriptions',
    needs: 'sessionEnds',
    argument: nothing('It always lists all that you may see.'),
    run: (_nothing, caller) => list(0, caller),
    presses: [
      definePress({
        actionId: ACTION.moreSubscriptions,
        answer: 'replace',
        right: 'subscriptions',
        value: z
          .string()
          .regex(/^\d{1,6}$/)
          .transform(Number),
        run: list,
      }),
      definePress({
        actionId: ACTION.resumeSubscription,
        answer: 'add',
        right: 'subscribe',
        value: subscriptionId,
        run: tryAgain,
      }),
    ],
  });
}
