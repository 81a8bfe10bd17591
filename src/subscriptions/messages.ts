import {
  button,
  buttons,
  context,
  done,
  lines,
  message,
  notice,
  problem,
  refusal,
  status,
  type Message,
} from '../messages/message.ts';
import {
  channel,
  code,
  count,
  duration,
  given,
  joined,
  say,
  short,
  user,
  type Line,
  type Maybe,
  type Piece,
} from '../messages/text.ts';
import type { Form } from '../outbox/delivery.ts';
import type { Refusal } from '../permissions/permissions.ts';
import {
  isDirect,
  kindOf,
  weekdayName,
  type Content,
  type Filters,
  type Schedule,
  type Subscription,
} from './subscription.ts';

const SUBSCRIPTIONS = code('/cobrowse subscriptions');
const NOT_SURE = say`I can’t confirm that it was saved. To see what is set up, type ${SUBSCRIPTIONS}.`;

const anyOf = (pieces: readonly Piece[]): Line => joined(pieces, ', ', ' or ');

/** A group by its handle, as plain text: a mention would notify every member. */
function groupName({ id, handle }: Filters['groups'][number]): Piece {
  const name = short(handle ?? '', 60);
  return name === '' ? code(short(id, 40)) : `@${name}`;
}

/** Which sessions pass; empty for all: " by @alex, with customers tagged vip, lasting 5 minutes or more". */
function conditionsInWords(filters: Filters): Line {
  const { agents, groups, tags, minSeconds } = filters;
  const people = [...agents.map(user), ...groups.map(groupName)];
  const conditions = given([
    people.length > 0 && say` by ${anyOf(people)}`,
    tags.length > 0 && say` with customers tagged ${anyOf(tags.map((tag) => code(short(tag, 60) || '?')))}`,
    minSeconds !== undefined && [` lasting ${duration(minSeconds)} or more`],
  ]);
  return joined(conditions, ',');
}

export function filtersInWords(filters: Filters): Line {
  const conditions = conditionsInWords(filters);
  return conditions.length === 0 ? ['all co-browsing sessions'] : ['co-browsing sessions', ...conditions];
}

const FORM_WORDS: Readonly<Record<Form, string>> = {
  full: 'in full',
  short: 'in short',
  thread: 'in short, with the details in a thread',
};

/** "Amsterdam time", by the city that names the zone. */
export function zoneInWords(zone: string): string {
  const city = short(zone.split('/').at(-1) ?? zone, 60).replaceAll('_', ' ');
  return city === 'UTC' ? city : `${city} time`;
}

/** "daily at 9:00 AM Amsterdam time", "on weekdays at …", "on Mondays at 4:30 PM UTC". */
function scheduleInWords({ weekday, onWeekdays, hour, minute, zone }: Schedule): string {
  const time = `${hour % 12 === 0 ? 12 : hour % 12}:${String(minute).padStart(2, '0')} ${hour < 12 ? 'AM' : 'PM'}`;
  const everyDay = onWeekdays ? 'on weekdays' : 'daily';
  const day = weekday === undefined ? everyDay : `on ${weekdayName(weekday)}s`;
  return `${day} at ${time} ${zoneInWords(zone)}`;
}

/** What a channel gets: "summaries of all sessions, in full", a digest and when, or a message for each customer who waits. */
export function contentInWords({ filters, form, schedule, remindMinutes }: Content): Line {
  if (remindMinutes !== undefined)
    return [`a message when a customer waits for help, and a reminder after ${remindMinutes} minutes`];
  return schedule === undefined
    ? say`summaries of ${filtersInWords(filters)}, ${FORM_WORDS[form]}`
    : [`a digest of all co-browsing sessions ${scheduleInWords(schedule)}`];
}

/** What was turned on, without its details: "session summaries", those of some sessions by which, or "the digest". */
function subscriptionName(content: Content): Line {
  const kind = kindOf(content);
  if (kind === 'digest') return ['the digest'];
  if (kind === 'waits') return ['messages about customers waiting for help'];
  const which = conditionsInWords(content.filters);
  return which.length === 0 ? ['session summaries'] : ['summaries of sessions', ...which];
}

export const placeOf = (channelId: string): Piece =>
  isDirect(channelId) ? 'the direct messages with the app' : channel(channelId);

/** What a channel is told: first that someone is about to do something, then that they did, or only tried to. */
export interface Told {
  readonly begun: Message;
  readonly done: Message;
  readonly unsure: Message;
}

const replacedLine = (replaced: Subscription | undefined): Maybe<Line> =>
  replaced && say`It replaces subscription ${replaced.id}: ${contentInWords(replaced)}.`;

export function summariesSetUp(by: string, content: Content, replaced?: Subscription): Told {
  const what = say` a subscription for this channel: ${contentInWords(content)}.`;
  return {
    begun: notice(say`${user(by)} is setting up${what}`),
    done: message(
      lines(say`${user(by)} set up${what}`, replacedLine(replaced)),
      context('To turn it off, type /cobrowse unsubscribe.'),
    ),
    unsure: notice(say`${user(by)} tried to set up${what}`, NOT_SURE),
  };
}

export function summariesResumed(by: string, content: Content): Told {
  const what = say` a subscription of this channel: ${contentInWords(content)}.`;
  return {
    begun: notice(say`${user(by)} is resuming${what}`),
    done: notice(say`${user(by)} resumed${what}`),
    unsure: notice(say`${user(by)} tried to resume${what}`, NOT_SURE),
  };
}

export const summariesEnded = (by: string, content: Content): Message =>
  notice(say`${user(by)} turned off ${subscriptionName(content)} here.`);

export const summariesChanged = (by: string, before: Content, content: Content): Message =>
  notice(
    say`${user(by)} changed a subscription of this channel: now ${contentInWords(content)}.`,
    say`Before: ${contentInWords(before)}.`,
  );

const offered = (text: string, actionId: string, style?: 'primary') =>
  button({ text, actionId, label: text, style });

export const subscriptionOffer = (): Message =>
  message(
    lines(
      [
        'Post summaries of sessions in a channel as they end, a digest of all of them every day or week, or a message when a customer waits for help.',
      ],
      say`Or type it: ${code('/cobrowse subscribe all')} for the summaries of all sessions here.`,
    ),
    buttons(
      offered('Set up summaries', 'set_up_subscription', 'primary'),
      offered('Set up a digest', 'set_up_digest'),
      offered('Customers waiting for help', 'set_up_waits'),
    ),
  );

export const subscriptionSaved = ({ id, channelId, ...content }: Subscription, isTold = true): Message =>
  done(
    say`Saved. Subscription ${id}: ${placeOf(channelId)} gets ${contentInWords(content)}.`,
    !isTold && ['I couldn’t tell the channel: Slack didn’t accept a post there.'],
  );

export const subscriptionChangedMeanwhile = (): Message =>
  problem(
    ['Someone changed this subscription while your form was open, so nothing was saved.'],
    say`To see it as it is now, type ${SUBSCRIPTIONS}.`,
  );

export const subscribed = ({ id, channelId, ...content }: Subscription, replaced?: Subscription): Message =>
  message(
    status('done', [
      say`${placeOf(channelId)} now gets ${contentInWords(content)}. This is subscription ${id}.`,
      ...given([replacedLine(replaced)]),
    ]),
    context(
      `To see all, type /cobrowse subscriptions. To turn this one off, type /cobrowse unsubscribe ${id}.`,
    ),
  );

export const noEndsReported = (): Message =>
  problem(
    ['Your co-browsing installation doesn’t report when sessions end, so there are no summaries or digests.'],
    ['Ask your admin to also connect a co-browsing account, where the app can look sessions up.'],
    say`To hear of customers who are waiting for help, type ${code('/cobrowse subscribe waiting')}.`,
  );

/** Customers' names and pages stay in the workspace. @param isShared `unknown` where Slack doesn't say */
export const notInShared = (channelId: string, isShared: true | 'unknown'): Message =>
  isShared === true
    ? problem(
        say`${placeOf(channelId)} is shared with another organization, so it can’t get messages about customers who wait.`,
        ['Choose a channel of your own workspace.'],
      )
    : problem(
        say`Slack doesn’t say whether ${placeOf(channelId)} is shared with another organization, so nothing was set up.`,
        say`Type ${code('/invite @Co-browse')} there if I’m not in it yet, and try again.`,
      );

export const alreadySubscribed = ({ id, channelId, setUpBy, ...content }: Subscription): Message =>
  notice(
    say`${placeOf(channelId)} already gets ${contentInWords(content)}: subscription ${id}, set up by ${user(setUpBy)}. Nothing changed.`,
    say`To change it, type ${SUBSCRIPTIONS} and press Edit.`,
  );

export const tooManySubscriptions = (most: number): Message =>
  problem(
    [`This workspace already has ${count(most, 'subscription')}, the maximum.`],
    say`Remove one you no longer need: ${SUBSCRIPTIONS}.`,
  );

/** Why somebody can't manage a channel's summaries; `unknown` where Slack doesn't say who is in it. */
export type NotManaged = Refusal | 'not-member' | 'unknown';

export function mayNotManage(why: NotManaged, channelId: string): Message {
  const place = placeOf(channelId);
  if (why === 'external')
    return refusal([
      'Only people from the workspace that installed this app can set up summaries, and you’re from another organization.',
    ]);
  if (why === 'guest')
    return refusal(
      ['You’re a guest in this workspace, and guests can’t set up summaries.'],
      ['Ask a member of the channel.'],
    );
  return why === 'unknown'
    ? problem(
        say`I can’t check whether you’re in ${place}.`,
        say`Go there, type ${code('/invite @Co-browse')} if I’m not in it yet, and run the command there.`,
      )
    : refusal(say`Only members of ${place} and workspace admins can change its summaries.`, [
        'Join the channel, or ask one of them.',
      ]);
}

export const noSuchSubscription = (): Message =>
  notice(
    ['I can’t find that subscription, or you can’t change it.'],
    say`To see all, type ${SUBSCRIPTIONS}.`,
  );

export const unsubscribed = ({ channelId, ...content }: Subscription): Message =>
  done(say`${placeOf(channelId)} no longer gets ${contentInWords(content)}.`);

export const noneIn = (channelId: string, isDigest: boolean): Message =>
  notice(
    say`No ${isDigest ? 'digest' : 'subscription'} is set up for ${placeOf(channelId)}.`,
    say`Set it up with ${code('/cobrowse subscribe')} or ${code('/cobrowse digest')}.`,
  );

/** For people from other organizations, apps and deactivated users. */
export const subscriptionsNotShown = (): Message =>
  refusal(
    ['Only people from the workspace that installed this app can see its subscriptions.'],
    ['Ask someone from that workspace in the channel.'],
  );
