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
import { bold, code, date, plainDate, user, type Line } from '../messages/text.ts';
import { RightUnknownError, type Actor } from '../permissions/acts.ts';
import { neverMay, type Membership } from '../permissions/permissions.ts';
import type { AuditEntries } from './audit-entries.ts';
import { contentInWords, placeOf } from './messages.ts';
import { whatToDo, whyPaused } from './pause-messages.ts';
import type { SubscriptionRepository } from './repository.ts';
import { isUnreadable, type Subscription, type UnreadableSubscription } from './subscription.ts';

/** A subscription as a list shows it; `isHidden` if the reader can't see its channel. */
type ListedSubscription = (Subscription | UnreadableSubscription) & { readonly isHidden: boolean };

function stateLine({ paused, channelId }: Subscription, isHidden: boolean): Line {
  if (paused === undefined) return ['Active.'];
  const { reason, since } = paused;
  const next = isHidden ? [] : [' ', ...whatToDo(reason, channelId)];
  return [bold('Paused'), ' since ', plainDate(new Date(since)), ': ', ...whyPaused(reason), '.', ...next];
}

/** Such as one that a newer version of the app wrote. */
const UNREADABLE: Line = [
  bold('Can’t be read'),
  ', so nothing is posted for it. It may be from a newer version of this app. Remove it and set it up again.',
];

function rowOf(subscription: ListedSubscription, isToRemove: boolean): readonly Part[] {
  const { id, channelId, setUpBy, setUpAt, isHidden } = subscription;
  const isRead = !isUnreadable(subscription);
  const place = isHidden ? ['a private channel you aren’t in'] : placeOf(channelId);
  const remove = button({
    text: 'Remove',
    actionId: ACTION.unsubscribe,
    value: id,
    label: `Remove subscription ${id}`,
    confirm: {
      title: 'Remove this subscription?',
      text: `Subscription ${id} ends, and the channel is told.`,
      yes: 'Remove',
      no: 'Keep it',
    },
  });
  const edit = button({
    text: 'Edit',
    actionId: ACTION.editSubscription,
    value: id,
    label: `Edit subscription ${id}`,
  });
  const resume = button({
    text: 'Resume',
    actionId: ACTION.resumeSubscription,
    value: id,
    label: `Resume subscription ${id}`,
  });
  return [
    lines(
      [bold(`${id}. `), ...place, ': ', ...(isRead ? [...contentInWords(subscription), '.'] : UNREADABLE)],
      [
        'Set up by ',
        user(setUpBy),
        ' · ',
        date(new Date(setUpAt)),
        ...(isRead ? [' · ', ...stateLine(subscription, isHidden)] : []),
      ],
    ),
    buttons(
      ...(isRead && subscription.paused !== undefined ? [resume] : []),
      ...(!isRead || isHidden || isToRemove ? [] : [edit]),
      remove,
    ),
  ];
}

const hiddenWords = (hidden: number) => `${hidden} more in private channels you aren’t in.`;

function moreButton(value: string) {
  return button({
    text: 'More',
    actionId: ACTION.moreSubscriptions,
    value,
    label: 'More subscriptions',
  });
}

/** A page of the subscriptions. `more` is the value of the button that leads on. */
export function subscriptionList(
  listed: readonly ListedSubscription[],
  {
    title,
    hidden,
    more,
    isToRemove = false,
  }: {
    readonly title: string;
    readonly hidden: number;
    readonly more: string | undefined;
    /** Whether the list is for choosing which one to remove. */
    readonly isToRemove?: boolean;
  },
): Message {
  const rest: Line[] = hidden === 0 ? [] : [[hiddenWords(hidden)]];
  return message(
    heading(title),
    ...listed.flatMap((one) => rowOf(one, isToRemove)),
    ...(rest.length === 0 ? [] : [lines(...rest)]),
    ...(more === undefined ? [] : [buttons(moreButton(more))]),
  );
}

function noSubscriptions(hidden: number): Message {
  const others = hidden === 0 ? '' : ` ${hiddenWords(hidden)}`;
  return notice(
    [`No channel you can see has a subscription.${others}`],
    ['Set one up with ', code('/cobrowse subscribe'), '.'],
  );
}

const PAGE = 10;

/**
 * A private channel's subscription is shown to its members and to whoever set it up. Admins can remove it, so they see that
 * there is one, but not where. What this makes rejects with a RightUnknownError if Slack can't be asked.
 */
export function createListing({
  repository,
  actions,
  membershipOf,
  isInChannel,
  isPublic,
}: {
  readonly repository: Pick<SubscriptionRepository, 'withUnreadable'>;
  readonly actions: Pick<AuditEntries, 'notShown'>;
  readonly membershipOf: (workspaceId: string, userId: string) => Promise<Membership>;
  readonly isInChannel: (
    workspaceId: string,
    userId: string,
    channelId: string,
  ) => Promise<boolean | undefined>;
  /** Whether every member of the workspace can see the channel; false if Slack doesn't say. */
  readonly isPublic: (workspaceId: string, channelId: string) => Promise<boolean>;
}) {
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

  /** @param after the number after which the page begins */
  return async function list(after: number, caller: Actor): Promise<Message> {
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
