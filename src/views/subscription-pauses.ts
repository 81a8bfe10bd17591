import type { Subscription } from '../model/subscription.ts';
import { done, notice, problem } from './message.ts';
import type { Message } from './message.ts';
import { user } from './rich-text.ts';
import type { Content } from './subscription-words.ts';
import { contentInWords, placeOf, whatToDo, whyNoPosts } from './subscription-words.ts';

/** Told to whoever set it up, once. */
export function subscriptionPaused({ id, channelId, paused, ...content }: Subscription): Message {
  const reason = paused?.reason ?? 'unknown';
  return problem(
    ['Your subscription for ', ...placeOf(channelId), ' is paused: ', ...whyNoPosts(reason), '.'],
    whatToDo(reason, channelId),
    [
      `It’s subscription ${id}: `,
      ...contentInWords(content),
      '. Nothing was deleted. It resumes automatically once a post there succeeds, and I’ll tell you.',
    ],
  );
}

/** Told to whoever set it up, once. */
export function subscriptionResumed({ id, channelId }: Subscription): Message {
  return done(['Your subscription for ', ...placeOf(channelId), ` works again: subscription ${id}.`]);
}

/** Posted when somebody presses Resume, which shows whether the channel accepts posts again. */
export function summariesResumed(by: string, content: Content): Message {
  return notice([user(by), ' resumed a subscription of this channel: ', ...contentInWords(content), '.']);
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
