import { done, notice, problem } from '../messages/message.ts';
import type { Message } from '../messages/message.ts';
import { count, user } from '../messages/text.ts';
import type { Line } from '../messages/text.ts';
import {
  NOT_SURE,
  contentInWords,
  placeOf,
  whatToDo,
  whenResumed,
  whyNoPosts,
  whyPaused,
} from './filter-words.ts';
import type { Content } from './filter-words.ts';
import type { Subscription } from './subscription.ts';

const LISTED = 10;

/** "1", "1 and 2", "1, 2 and 3". */
const numbersOf = (all: readonly Subscription[]): string =>
  all
    .map(({ id }) => id)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' and ');

/** Told to whoever set them up, once, about all that they set up in a channel. */
export function subscriptionsPaused(all: readonly Subscription[]): Message {
  const [{ channelId, paused } = { channelId: '', paused: undefined }] = all;
  const reason = paused?.reason ?? 'unknown';
  const whose = all.length === 1 ? ['subscription', 'is'] : [`${all.length} subscriptions`, 'are'];
  const next = whenResumed(reason);
  return problem(
    [`Your ${whose[0]} for `, ...placeOf(channelId), ` ${whose[1]} paused: `, ...whyPaused(reason), '.'],
    whatToDo(reason, channelId),
    ...all
      .slice(0, LISTED)
      .map(({ id, ...content }): Line => [`Subscription ${id}: `, ...contentInWords(content), '.']),
    ...(all.length > LISTED ? [[`And ${count(all.length - LISTED, 'other')}.`]] : []),
    ...(next === undefined ? [] : [[`${next} I’ll tell you.`]]),
  );
}

/** Told to whoever set them up, once. */
export function subscriptionsResumed(all: readonly Subscription[]): Message {
  const [{ channelId } = { channelId: '' }] = all;
  const whose = all.length === 1 ? ['subscription', 'works'] : ['subscriptions', 'work'];
  return done([
    `Your ${whose[0]} for `,
    ...placeOf(channelId),
    ` ${whose[1]} again: ${whose[0]} ${numbersOf(all)}.`,
  ]);
}

/** Posted when somebody presses Resume, which shows whether the channel accepts posts again. */
export function summariesResumed(by: string, content: Content) {
  const what: Line = [' a subscription of this channel: ', ...contentInWords(content), '.'];
  return {
    begun: notice([user(by), ' is resuming', ...what]),
    done: notice([user(by), ' resumed', ...what]),
    unsure: notice([user(by), ' tried to resume', ...what], NOT_SURE),
  };
}

export function resumed({ id, channelId }: Subscription): Message {
  return done([...placeOf(channelId), ` gets subscription ${id} again.`]);
}

export function stillPaused({ id, channelId }: Subscription, reason: string): Message {
  return problem(
    [
      `Subscription ${id} is still paused. `,
      ...placeOf(channelId),
      ' didn’t accept a post: ',
      ...whyNoPosts(reason),
      '.',
    ],
    whatToDo(reason, channelId),
  );
}
