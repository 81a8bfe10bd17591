import { done, problem, type Message } from '../messages/message.ts';
import { kindOf } from '../messages/slack-codes.ts';
import { code, count, say, short, type Line } from '../messages/text.ts';
import { contentInWords, placeOf } from './messages.ts';
import type { Subscription } from './subscription.ts';

const INVITE = code('/invite @Co-browse');

function whyNoPosts(reason: string): Line {
  switch (kindOf(reason)) {
    case 'restricted':
    case 'no-thread':
      return ['posting there is restricted'];
    case 'not-in-channel':
      return ['I’m not in it'];
    case 'archived':
      return ['it’s archived'];
    case 'deleted':
      return ['it was deleted'];
    default:
      return ['Slack answered ', code(short(reason, 80))];
  }
}

/** Why a subscription is paused, by the same code: the app was in the channel before. */
export function whyPaused(reason: string): Line {
  if (reason === 'channel_not_found')
    return ['I can’t see it anymore: I was removed, or it has a new ID since it was shared or converted'];
  return kindOf(reason) === 'not-in-channel' ? ['I was removed'] : whyNoPosts(reason);
}

/** When a pause ends by itself, as a sentence; undefined if it doesn't. */
function whenResumed(reason: string): string | undefined {
  if (reason === 'channel_not_found')
    return 'If I’m still in it, set it up there again. Otherwise it resumes when you invite me back.';
  switch (kindOf(reason)) {
    case 'not-in-channel':
      return 'Resumes when you invite me back.';
    case 'archived':
      return 'Resumes when it’s unarchived.';
    case 'deleted':
      return undefined;
    default:
      return 'Resumes with the next post that works.';
  }
}

export function whatToDo(reason: string, channelId: string): Line {
  switch (kindOf(reason)) {
    case 'restricted':
    case 'no-thread':
      return ['Ask a workspace admin to let the app post there.'];
    case 'not-in-channel':
      return say`Type ${INVITE} in ${placeOf(channelId)}.`;
    case 'archived':
      return ['Unarchive it, or choose another channel.'];
    case 'deleted':
      return ['Choose another channel.'];
    default:
      return ['Tell your admin.'];
  }
}

/** The first post failed, so nothing was set up. */
export const notSubscribed = (channelId: string, reason: string, mayPass: boolean): Message =>
  mayPass
    ? problem(
        say`Slack didn’t accept the post in ${placeOf(channelId)}, so nothing was set up. Try again in a minute.`,
      )
    : problem(
        say`Nothing was set up for ${placeOf(channelId)}: ${whyNoPosts(reason)}.`,
        say`${whatToDo(reason, channelId)} Then run the command again.`,
      );

const LISTED = 10;

/** Told to whoever set them up, once, about all that they set up in a channel. */
export function subscriptionsPaused(all: readonly Subscription[]): Message {
  const [{ channelId, paused } = { channelId: '', paused: undefined }] = all;
  const reason = paused?.reason ?? 'unknown';
  const [whose, are] = all.length === 1 ? ['subscription', 'is'] : [`${all.length} subscriptions`, 'are'];
  const next = whenResumed(reason);
  return problem(
    say`Your ${whose} for ${placeOf(channelId)} ${are} paused: ${whyPaused(reason)}.`,
    whatToDo(reason, channelId),
    ...all.slice(0, LISTED).map((one) => say`Subscription ${one.id}: ${contentInWords(one)}.`),
    all.length > LISTED && [`And ${count(all.length - LISTED, 'other')}.`],
    next !== undefined && [`${next} I’ll tell you.`],
  );
}

export function subscriptionsResumed(all: readonly Subscription[]): Message {
  const [{ channelId } = { channelId: '' }] = all;
  const [whose, work] = all.length === 1 ? ['subscription', 'works'] : ['subscriptions', 'work'];
  // "1", "1 and 2", "1, 2 and 3".
  const numbers = all
    .map(({ id }) => id)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' and ');
  return done(say`Your ${whose} for ${placeOf(channelId)} ${work} again: ${whose} ${numbers}.`);
}

export const resumed = ({ id, channelId }: Subscription): Message =>
  done(say`${placeOf(channelId)} gets subscription ${id} again.`);

export const stillPaused = ({ id, channelId }: Subscription, reason: string): Message =>
  problem(
    say`Subscription ${id} is still paused. ${placeOf(channelId)} didn’t accept a post: ${whyNoPosts(reason)}.`,
    whatToDo(reason, channelId),
  );
