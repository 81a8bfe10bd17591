import { ACTION } from '../messages/action-ids.ts';
import { button, buttons, heading, lines, message, notice, refusal } from '../messages/message.ts';
import type { Message, Part } from '../messages/message.ts';
import { bold, code, date, plainDate, user } from '../messages/text.ts';
import type { Line } from '../messages/text.ts';
import { contentInWords, placeOf, whatToDo, whyPaused } from './filter-words.ts';
import { isUnreadable } from './subscription.ts';
import type { Subscription, UnreadableSubscription } from './subscription.ts';

/** A subscription as a list shows it; `isHidden` if the reader can't see its channel. */
export type ListedSubscription = (Subscription | UnreadableSubscription) & { readonly isHidden: boolean };

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

export function noSubscriptions(hidden: number): Message {
  const others = hidden === 0 ? '' : ` ${hiddenWords(hidden)}`;
  return notice(
    [`No channel you can see has a subscription.${others}`],
    ['Set one up with ', code('/cobrowse subscribe'), '.'],
  );
}

/** For people from other organisations, apps and deactivated users. */
export function subscriptionsNotShown(): Message {
  return refusal(
    ['Only people from the workspace that installed this app can see its subscriptions.'],
    ['Ask someone from that workspace in the channel.'],
  );
}
