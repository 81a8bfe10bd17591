import { ACTION } from '../messages/action-ids.ts';
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
import { channel, code, count, duration, short, user, type Line, type Piece } from '../messages/text.ts';
import type { Refusal } from '../permissions/acts.ts';
import { isDirect, weekdayName, type Filters, type Schedule, type Subscription } from './subscription.ts';
import type { Form } from '../outbox/kind.ts';

/** "a, b or c". */
function anyOf(pieces: readonly Piece[]): Line {
  return pieces.flatMap((piece, index) => {
    if (index === 0) return [piece];
    return [index === pieces.length - 1 ? ' or ' : ', ', piece];
  });
}

/** A group by its handle, as plain text: a mention would notify every member. */
function groupName({ id, handle }: Filters['groups'][number]): Piece {
  const name = short(handle ?? '', 60);
  return name === '' ? code(short(id, 40)) : `@${name}`;
}

/** Which sessions pass; empty for all: " by @alex, with customers tagged vip, lasting 5 minutes or more". */
function conditionsInWords({ agents, groups, tags, minSeconds }: Filters): Line {
  const people: Piece[] = [...agents.map(user), ...groups.map(groupName)];
  const conditions: Line[] = [
    ...(people.length === 0 ? [] : [[' by ', ...anyOf(people)]]),
    ...(tags.length === 0
      ? []
      : [[' with customers tagged ', ...anyOf(tags.map((tag) => code(short(tag, 60) || '?')))]]),
    ...(minSeconds === undefined ? [] : [[` lasting ${duration(minSeconds)} or more`]]),
  ];
  return conditions.flatMap((condition, index) => (index === 0 ? condition : [',', ...condition]));
}

/** "all co-browsing sessions", or which. */
export function filtersInWords(filters: Filters): Line {
  const conditions = conditionsInWords(filters);
  return conditions.length === 0 ? ['all co-browsing sessions'] : ['co-browsing sessions', ...conditions];
}

function formInWords(form: Form): string {
  switch (form) {
    case 'full':
      return 'in full';
    case 'short':
      return 'in short';
    case 'thread':
      return 'in short, with the details in a thread';
  }
}

/** After words about what somebody tried: the write didn't happen, or nobody knows whether it did. */
export const NOT_SURE: Line = [
  'I can’t confirm that it was saved. To see what is set up, type ',
  code('/cobrowse subscriptions'),
  '.',
];

/** What a subscription is made of. */
export type Content = Pick<Subscription, 'filters' | 'form' | 'schedule'>;

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

/** What a channel gets: "summaries of all sessions, in full", or a digest and when. */
export function contentInWords({ filters, form, schedule }: Content): Line {
  if (schedule !== undefined) return [`a digest of all co-browsing sessions ${scheduleInWords(schedule)}`];
  return ['summaries of ', ...filtersInWords(filters), `, ${formInWords(form)}`];
}

/** What was turned on, without its details: "session summaries", those of some sessions by which, or "the digest". */
function subscriptionName({ filters, schedule }: Content): Line {
  if (schedule !== undefined) return ['the digest'];
  const which = conditionsInWords(filters);
  return which.length === 0 ? ['session summaries'] : ['summaries of sessions', ...which];
}

/** A channel as a mention; a direct message with the app has no name. */
export function placeOf(channelId: string): Line {
  return isDirect(channelId) ? ['the direct messages with the app'] : [channel(channelId)];
}

/** Posted to the channel: who sets it up, and what it will get. */
export function summariesSetUp(by: string, content: Content, replaced?: Subscription) {
  const what: Line = [' a subscription for this channel: ', ...contentInWords(content), '.'];
  return {
    begun: notice([user(by), ' is setting up', ...what]),
    done: message(
      lines([user(by), ' set up', ...what], ...replacedLine(replaced)),
      context('To turn it off, type /cobrowse unsubscribe.'),
    ),
    unsure: notice([user(by), ' tried to set up', ...what], NOT_SURE),
  };
}

/** The subscription it replaces. */
function replacedLine(replaced: Subscription | undefined): Line[] {
  if (replaced === undefined) return [];
  return [[`It replaces subscription ${replaced.id}: `, ...contentInWords(replaced), '.']];
}

/** Posted to the channel when it ends. */
export function summariesEnded(by: string, content: Content): Message {
  return notice([user(by), ' turned off ', ...subscriptionName(content), ' here.']);
}

/** Posted to the channel when its subscription was changed. */
export function summariesChanged(by: string, before: Content, content: Content): Message {
  return notice(
    [user(by), ' changed a subscription of this channel: now ', ...contentInWords(content), '.'],
    ['Before: ', ...contentInWords(before), '.'],
  );
}

/** The answer to the command without arguments: a button for each form. */
export function subscriptionOffer(): Message {
  return message(
    lines(
      ['Post summaries of sessions in a channel as they end, or a digest of all of them every day or week.'],
      ['Or type it: ', code('/cobrowse subscribe all'), ' for the summaries of all sessions here.'],
    ),
    buttons(
      button({
        text: 'Set up summaries',
        actionId: ACTION.setUpSubscription,
        value: 'new',
        label: 'Set up summaries',
        style: 'primary',
      }),
      button({
        text: 'Set up a digest',
        actionId: ACTION.setUpDigest,
        value: 'new',
        label: 'Set up a digest',
      }),
    ),
  );
}

/** @param untold whether the channel couldn't be told of it */
export function subscriptionSaved({ id, channelId, ...content }: Subscription, untold?: 'untold'): Message {
  return done(
    [`Saved. Subscription ${id}: `, ...placeOf(channelId), ' gets ', ...contentInWords(content), '.'],
    ...(untold === undefined ? [] : [['I couldn’t tell the channel: Slack didn’t accept a post there.']]),
  );
}

export function subscriptionChangedMeanwhile(): Message {
  return problem(
    ['Someone changed this subscription while your form was open, so nothing was saved.'],
    ['To see it as it is now, type ', code('/cobrowse subscriptions'), '.'],
  );
}

export function subscribed({ id, channelId, ...content }: Subscription, replaced?: Subscription): Message {
  return message(
    status('done', [
      [...placeOf(channelId), ' now gets ', ...contentInWords(content), `. This is subscription ${id}.`],
      ...replacedLine(replaced),
    ]),
    context(
      `To see all, type /cobrowse subscriptions. To turn this one off, type /cobrowse unsubscribe ${id}.`,
    ),
  );
}

/** Session ends never become known here, so nothing would ever be posted. */
export function noEndsReported(): Message {
  return problem(
    ['Your co-browsing installation doesn’t report when sessions end, so there are no summaries or digests.'],
    ['Ask your admin to also connect a co-browsing account, where the app can look sessions up.'],
  );
}

export function alreadySubscribed({ id, channelId, setUpBy, ...content }: Subscription): Message {
  return notice(
    [
      ...placeOf(channelId),
      ' already gets ',
      ...contentInWords(content),
      `: subscription ${id}, set up by `,
      user(setUpBy),
      '. Nothing changed.',
    ],
    ['To change it, type ', code('/cobrowse subscriptions'), ' and press Edit.'],
  );
}

export function tooManySubscriptions(most: number): Message {
  return problem(
    [`This workspace already has ${count(most, 'subscription')}, the maximum.`],
    ['Remove one you no longer need: ', code('/cobrowse subscriptions'), '.'],
  );
}

/** Why somebody can't manage a channel's summaries; `unknown` where Slack doesn't say who is in it. */
export type NotManaged = Refusal | 'not-member' | 'unknown';

export function mayNotManage(why: NotManaged, channelId: string): Message {
  const place = placeOf(channelId);
  switch (why) {
    case 'external':
      return refusal([
        'Only people from the workspace that installed this app can set up summaries, and you’re from another organization.',
      ]);
    case 'guest':
      return refusal(
        ['You’re a guest in this workspace, and guests can’t set up summaries.'],
        ['Ask a member of the channel.'],
      );
    case 'unknown':
      return problem(
        ['I can’t check whether you’re in ', ...place, '.'],
        ['Go there, type ', code('/invite @Co-browse'), ' if I’m not in it yet, and run the command there.'],
      );
    default:
      return refusal(
        ['Only members of ', ...place, ' and workspace admins can change its summaries.'],
        ['Join the channel, or ask one of them.'],
      );
  }
}

export function noSuchSubscription(): Message {
  return notice(
    ['I can’t find that subscription, or you can’t change it.'],
    ['To see all, type ', code('/cobrowse subscriptions'), '.'],
  );
}

export function unsubscribed({ channelId, ...content }: Subscription): Message {
  return done([...placeOf(channelId), ' no longer gets ', ...contentInWords(content), '.']);
}

/** Posted to the channel when one is removed that nobody can read. */
export const unreadableEnded = (by: string): Message =>
  notice([user(by), ' removed a subscription of this channel that I couldn’t read.']);

export function unreadableRemoved({ id, channelId }: Pick<Subscription, 'id' | 'channelId'>): Message {
  return done([`Removed subscription ${id} of `, ...placeOf(channelId), ', which I couldn’t read.']);
}

export function noneIn(channelId: string, isDigest: boolean): Message {
  return notice(
    [isDigest ? 'No digest is set up for ' : 'No subscription is set up for ', ...placeOf(channelId), '.'],
    ['Set it up with ', code('/cobrowse subscribe'), ' or ', code('/cobrowse digest'), '.'],
  );
}

/** For people from other organizations, apps and deactivated users. */
export function subscriptionsNotShown(): Message {
  return refusal(
    ['Only people from the workspace that installed this app can see its subscriptions.'],
    ['Ask someone from that workspace in the channel.'],
  );
}
