import type { Subscription } from '../grants/subscription.ts';
import { notice } from './message.ts';
import type { Message } from './message.ts';
import { user } from './rich-text.ts';
import type { Content } from './subscription-words.ts';
import { contentInWords, placeOf, whatToDo, whyNoPosts } from './subscription-words.ts';

/** Told to whoever set it up, once. */
export function subscriptionPaused({ id, channelId, paused, ...content }: Subscription): Message {
  const reason = paused?.reason ?? 'unknown';
  return notice(
    ['What you set up for ', ...placeOf(channelId), ' is paused: ', ...whyNoPosts(reason), '.'],
    whatToDo(reason, channelId),
    [
      `It is number ${id}, `,
      ...contentInWords(content),
      '. Nothing is deleted. It goes on by itself once a post there succeeds; you will be told.',
    ],
  );
}

/** Told to whoever set it up, once. */
export function subscriptionResumed({ id, channelId }: Subscription): Message {
  return notice(['What you set up for ', ...placeOf(channelId), ` arrives again: number ${id}.`]);
}

/** Posted where somebody presses Resume: it shows whether the channel takes posts again. */
export function summariesResumed(by: string, content: Content): Message {
  return notice([user(by), ' resumed for this channel: ', ...contentInWords(content), '.']);
}

export function resumed({ id, channelId }: Subscription): Message {
  return notice([...placeOf(channelId), ` gets number ${id} again.`]);
}

export function stillPaused({ id, channelId }: Subscription, reason: string): Message {
  return notice(
    [
      `Number ${id} stays paused: `,
      ...placeOf(channelId),
      ' took no post, since ',
      ...whyNoPosts(reason),
      '.',
    ],
    whatToDo(reason, channelId),
  );
}
