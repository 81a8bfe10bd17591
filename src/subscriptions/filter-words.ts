import { channel, code, duration, short, user } from '../messages/text.ts';
import type { Line, Piece } from '../messages/text.ts';
import { weekdayName } from './subscription.ts';
import type { Filters, Schedule, Subscription, SummaryForm } from './subscription.ts';

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

function filtersInWords(filters: Filters): Line {
  const conditions = conditionsInWords(filters);
  return conditions.length === 0 ? ['all co-browsing sessions'] : ['co-browsing sessions', ...conditions];
}

function formInWords(form: SummaryForm): string {
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
function zoneInWords(zone: string): string {
  const city = short(zone.split('/').at(-1) ?? zone, 60).replaceAll('_', ' ');
  return city === 'UTC' ? city : `${city} time`;
}

/** "daily at 9:00 AM Amsterdam time", "on Mondays at 4:30 PM UTC". */
function scheduleInWords({ weekday, hour, minute, zone }: Schedule): string {
  const time = `${hour % 12 === 0 ? 12 : hour % 12}:${String(minute).padStart(2, '0')} ${hour < 12 ? 'AM' : 'PM'}`;
  const day = weekday === undefined ? 'daily' : `on ${weekdayName(weekday)}s`;
  return `${day} at ${time} ${zoneInWords(zone)}`;
}

/** What a channel gets: "summaries of all sessions, in full", or a digest and when. */
export function contentInWords({ filters, form, schedule }: Content): Line {
  if (schedule !== undefined) return [`a digest of all co-browsing sessions ${scheduleInWords(schedule)}`];
  return ['summaries of ', ...filtersInWords(filters), `, ${formInWords(form)}`];
}

/** What was turned on, without its details: "session summaries", those of some sessions by which, or "the digest". */
export function subscriptionName({ filters, schedule }: Content): Line {
  if (schedule !== undefined) return ['the digest'];
  const which = conditionsInWords(filters);
  return which.length === 0 ? ['session summaries'] : ['summaries of sessions', ...which];
}

/** A channel as a mention; a direct message with the app has no name. */
export function placeOf(channelId: string): Line {
  return channelId.startsWith('D') ? ['the direct messages with the app'] : [channel(channelId)];
}

const INVITE = code('/invite @Co-browse');

/** Why Slack refuses posts to a channel, by its error code. */
export function whyNoPosts(reason: string): Line {
  if (reason.startsWith('restricted_action')) return ['posting there is restricted'];
  switch (reason) {
    case 'channel_not_found':
    case 'not_in_channel':
      return ['I’m not in it'];
    case 'is_archived':
      return ['it’s archived'];
    case 'channel_deleted':
      return ['it was deleted'];
    default:
      return ['Slack answered ', code(short(reason, 80))];
  }
}

/** Why a subscription is paused, by the same code: the app was in the channel before. */
export const whyPaused = (reason: string): Line =>
  reason === 'channel_not_found' || reason === 'not_in_channel' ? ['I was removed'] : whyNoPosts(reason);

/** When a pause ends by itself, as a sentence; undefined if it doesn't. */
export function whenResumed(reason: string): string | undefined {
  switch (reason) {
    case 'channel_not_found':
    case 'not_in_channel':
      return 'Resumes when you invite me back.';
    case 'is_archived':
      return 'Resumes when it’s unarchived.';
    case 'channel_deleted':
      return undefined;
    default:
      return 'Resumes with the next post that works.';
  }
}

/** What to do when Slack refuses posts to a channel, as a sentence. */
export function whatToDo(reason: string, channelId: string): Line {
  if (reason.startsWith('restricted_action')) return ['Ask a workspace admin to let the app post there.'];
  switch (reason) {
    case 'channel_not_found':
    case 'not_in_channel':
      return ['Type ', INVITE, ' in ', ...placeOf(channelId), '.'];
    case 'is_archived':
      return ['Unarchive it, or choose another channel.'];
    case 'channel_deleted':
      return ['Choose another channel.'];
    default:
      return ['Tell your admin.'];
  }
}
