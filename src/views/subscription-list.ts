import type { Subscription } from '../grants/subscription.ts';
import { ACTION } from './action-ids.ts';
import { button } from './buttons.ts';
import { buttons, heading, lines, message, notice } from './message.ts';
import type { Message, Part } from './message.ts';
import { bold, code, date, user } from './rich-text.ts';
import type { Line } from './rich-text.ts';
import { contentInWords, placeOf, whatToDo, whyNoPosts } from './subscription-words.ts';
import { count } from './text.ts';

/** A subscription as a list shows it; `isHidden` where its channel is not the reader's to know of. */
export interface ListedSubscription extends Subscription {
  readonly isHidden: boolean;
}

function stateLine({ paused, channelId, isHidden }: ListedSubscription): Line {
  if (paused === undefined) return ['Active.'];
  const { reason, since } = paused;
  const next = isHidden ? [] : [' ', ...whatToDo(reason, channelId)];
  return [
    bold('Paused'),
    ' since ',
    date(new Date(since)),
    ', because ',
    ...whyNoPosts(reason),
    '.',
    ...next,
  ];
}

function rowOf(subscription: ListedSubscription): readonly Part[] {
  const { id, channelId, setUpBy, setUpAt, paused, isHidden } = subscription;
  const place = isHidden ? ['a private channel that you are not in'] : placeOf(channelId);
  const remove = button({
    text: 'Remove',
    actionId: ACTION.unsubscribe,
    value: id,
    label: `Remove subscription ${id}`,
    confirm: {
      title: 'Remove the subscription?',
      text: `Number ${id} ends, and the channel is told.`,
      yes: 'Remove',
      no: 'Keep it',
    },
  });
  const resume = button({
    text: 'Resume',
    actionId: ACTION.resumeSubscription,
    value: id,
    label: `Resume subscription ${id}`,
  });
  return [
    lines(
      [bold(`${id}. `), ...place, ': ', ...contentInWords(subscription), '.'],
      ['Set up by ', user(setUpBy), ', ', date(new Date(setUpAt)), '. ', ...stateLine(subscription)],
    ),
    paused === undefined ? buttons(remove) : buttons(resume, remove),
  ];
}

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
  }: { readonly title: string; readonly hidden: number; readonly more: string | undefined },
): Message {
  const rest: Line[] =
    hidden === 0 ? [] : [[`${count(hidden, 'more')} in private channels that you are not in.`]];
  return message(
    heading(title),
    ...listed.flatMap(rowOf),
    ...(rest.length === 0 ? [] : [lines(...rest)]),
    ...(more === undefined ? [] : [buttons(moreButton(more))]),
  );
}

export function noSubscriptions(hidden: number): Message {
  const others = hidden === 0 ? '' : ` ${count(hidden, 'more')} in private channels that you are not in.`;
  return notice(
    [`No channel that you may see gets summaries or digests by subscription.${others}`],
    ['Set one up with ', code('/cobrowse subscribe'), '.'],
  );
}

/** For people of other organisations, apps and deactivated users. */
export function subscriptionsNotShown(): Message {
  return notice(
    ['Which channels get summaries is for the people of the workspace that installed this app.'],
    ['Ask somebody of that workspace in the channel.'],
  );
}
